/** A solver of a chaos run, as a process: `node solver.js NAME STORE BUS SEED`. */
import { RouteEngine } from '../../../src/engine/engine.ts';
import { connectBus } from '../../../src/fleet/bus.ts';
import { followCopies } from '../../../src/fleet/log-feed.ts';
import { Solver } from '../../../src/fleet/solver.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { digestOf } from './copied-log.ts';
import { CHAIN, type CopyAudit, worldGraph } from './world.ts';

const [id = '', storeUrl = '', busUrl = '', seed = '1'] = process.argv.slice(2);

const bus = await connectBus(busUrl, id);
const copies = followCopies(bus, CHAIN);
const book = new LayerBook();
const { layers: shared, log } = await PostgresStore.follow(storeUrl, book);
copies.give(log);
const engine = new RouteEngine({ book, workers: 1 });
const solver = new Solver({ bus, chain: CHAIN, id, engine, shared, capacity: 16 });
solver.publish(worldGraph(Number(seed)));
process.on('message', () => {
  const audit: CopyAudit = { position: shared.position, queued: 0, digest: digestOf(book) };
  process.send!({ audit });
});
process.on('disconnect', () => process.exit(0));
process.send!('ready');
