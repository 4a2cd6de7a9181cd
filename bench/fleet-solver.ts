/**
 * A solver of the benchmarks, as a process with a channel to its parent: `node fleet-solver.js NAME BUS`. It also
 * echoes every message to `bench.echo.NAME`, to measure the round trip without a search.
 */
import { RouteEngine } from '../src/engine/host/engine.ts';
import { connectBus } from '../src/fleet/bus.ts';
import { FleetName } from '../src/fleet/fleet-name.ts';
import { noSharedLayers } from '../src/fleet/shared-layers.ts';
import { Solver } from '../src/fleet/solver.ts';
import { LayerBook } from '../src/layers/layer-book.ts';
import { mainGraph } from './graphs.ts';

const [id = '', busUrl = ''] = process.argv.slice(2);
const bus = await connectBus(busUrl, id);
const shared = noSharedLayers(new LayerBook());
const engine = new RouteEngine({ book: shared.book, workers: 1 });
const solver = new Solver({ bus, fleet: new FleetName('bench', 'bench'), id, engine, shared, capacity: 64 });
bus.subscribe(`bench.echo.${id}`, { callback: (_error, message) => void message.respond(message.data) });
solver.publish(mainGraph().graph);
process.on('message', () => process.send!({ cpuUs: cpuUs() }));
process.on('disconnect', () => process.exit(0));
process.send!('ready');

/** Processor time of all threads so far, in microseconds. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
