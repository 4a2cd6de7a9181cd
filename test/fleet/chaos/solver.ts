/** A solver of a chaos run, as a process: `node solver.js NAME STORE BUS`. */
import { RouteEngine } from '../../../src/engine/host/engine.ts';
import { connectBus } from '../../../src/fleet/bus.ts';
import { SHARED_GRAPH } from '../../../src/fleet/bus-messages.ts';
import { FleetName } from '../../../src/fleet/fleet-name.ts';
import { graphHash } from '../../../src/fleet/graph-hash.ts';
import { followCopies } from '../../../src/fleet/log-feed.ts';
import { Solver } from '../../../src/fleet/solver.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { answersAtOnePosition, digestOf } from './copied-log.ts';
import { CHAIN, type CopyAudit } from './world.ts';

const [id = '', storeUrl = '', busUrl = ''] = process.argv.slice(2);

const bus = await connectBus(busUrl, id);
const book = new LayerBook();
const { fleetId, layers: shared, log, graph: replica } = await PostgresStore.follow(storeUrl, book);
const fleet = new FleetName(CHAIN, fleetId);
followCopies(bus, fleet).give(log);
const engine = new RouteEngine({ book, workers: 1 });
const graphName = SHARED_GRAPH;
const solver = new Solver({ bus, fleet, id, engine, shared, capacity: 16, graphName });
replica.onChange = () => solver.publish(replica.graph);
if (replica.isWhole) solver.publish(replica.graph);
process.on('message', async () => {
  const answers = await answersAtOnePosition(shared, engine, book, replica.graph);
  const copy = { digest: digestOf(book), graph: graphHash(replica.graph) };
  const audit: CopyAudit = { position: shared.position, queued: 0, ...copy, answers };
  process.send!({ audit });
});
process.on('disconnect', () => process.exit(0));
process.send!('ready');
