/** A solver of a chaos run, as a process: `node solver.js NAME BUS SEED`. */
import { RouteEngine } from '../../../src/engine/engine.ts';
import { connectBus } from '../../../src/fleet/bus.ts';
import { noSharedLayers } from '../../../src/fleet/shared-layers.ts';
import { Solver } from '../../../src/fleet/solver.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { CHAIN, worldGraph } from './world.ts';

const [id = '', busUrl = '', seed = '1'] = process.argv.slice(2);

const bus = await connectBus(busUrl, id);
const shared = noSharedLayers(new LayerBook());
const engine = new RouteEngine({ book: shared.book, workers: 1 });
const solver = new Solver({ bus, chain: CHAIN, id, engine, shared, capacity: 16 });
solver.publish(worldGraph(Number(seed)));
process.on('disconnect', () => process.exit(0));
process.send!('ready');
