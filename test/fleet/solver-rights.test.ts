/**
 * A solver's account on the bus needs the rights that docs/fleet.md names, and has no others: it serves with them, and the
 * server refuses what it would tell in the name of a daemon.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RouteEngine } from '../../src/engine/engine.ts';
import { connectBus } from '../../src/fleet/bus.ts';
import { subjects } from '../../src/fleet/bus-messages.ts';
import { BusSolvers } from '../../src/fleet/bus-solvers.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { followCopies, sendCopies } from '../../src/fleet/log-feed.ts';
import { noSharedLayers } from '../../src/fleet/shared-layers.ts';
import { Solver } from '../../src/fleet/solver.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { inProcessSolvers } from '../engine/in-process-solvers.ts';
import { describeNeeding } from '../needs.ts';
import { natsServerPath, startNatsServer } from './nats-server.ts';

const CHAIN = 'regtest';
const FLEET = new FleetName(CHAIN, '00112233445566aa');
const BASE = `fulgurite.v2.${CHAIN}.${FLEET.id}`;
const LISTEN = [`${BASE}.solve`, `${BASE}.solver.>`, `${BASE}.log`];
const SPEAK = [`${BASE}.solver.*.load`, '_INBOX.>'];
const graph = generateSyntheticGraph({ nodeCount: 200, seed: 5 });

const CONFIG = `authorization { users = [
  { user: daemon, password: d }
  { user: solver, password: s, permissions: {
      publish: ${JSON.stringify(SPEAK)}, subscribe: ${JSON.stringify(LISTEN)} } } ] }`;

describeNeeding('nats', natsServerPath !== undefined, 'the account of a solver', () => {
  test('serves with the rights that the manual names, and can tell nothing else', async () => {
    const manual = readFileSync(new URL('../../docs/fleet.md', import.meta.url), 'utf8');
    for (const subject of [...LISTEN, ...SPEAK])
      expect(manual).toContain(subject.replace(CHAIN, 'CHAIN').replace(FLEET.id, 'FLEET'));
    const directory = mkdtempSync(join(tmpdir(), 'fulgurite-nats-'));
    writeFileSync(join(directory, 'config'), CONFIG);
    const server = await startNatsServer(-1, '127.0.0.1', '-c', join(directory, 'config'));
    const at = (account: string): string => server.url.replace('//', `//${account}@`);
    const [solverBus, daemonBus] = [
      await connectBus(at('solver:s'), 's'),
      await connectBus(at('daemon:d'), 'd'),
    ];
    const shared = noSharedLayers(new LayerBook());
    const engine = new RouteEngine({ book: shared.book, solvers: inProcessSolvers() });
    const solver = new Solver({ bus: solverBus, fleet: FLEET, id: 'one', engine, shared, capacity: 8 });
    const fleet = new BusSolvers({ bus: daemonBus, fleet: FLEET, id: 'daemon', shared });
    try {
      const copied: number[] = [];
      followCopies(solverBus, FLEET).give({ receive: ({ seq }) => copied.push(seq) > 0 });
      await solverBus.flush();
      sendCopies(daemonBus, FLEET, {
        onCommitted: (listener) => {
          listener({ seq: 7, writer: 'w', batch: 1, chunk: new Uint8Array(3) });
          return () => undefined;
        },
      });
      solver.publish(graph);
      fleet.publish(graph);
      await expect.poll(() => [fleet.hasRoom(), copied]).toEqual([true, [7]]);
      const query = {
        ...{ source: graph.nodeId(1), destination: graph.nodeId(100), amountMsat: msat(1_000_000n) },
        ...{ maxfeeMsat: msat(1_000_000n), finalCltv: 18, maxdelay: 2016, maxparts: 4, maxhops: 20 },
        ...{ layerIds: [], layerNames: [], includeFees: false },
      };
      const asked = await fleet.ask({
        query,
        lane: 'query',
        deadline: Date.now() + 30_000,
        judge: () => 'good',
      });
      expect(asked).toHaveProperty('answer');

      const heard: string[] = [];
      const { log, reserved } = subjects(FLEET);
      for (const subject of [log, reserved]) {
        daemonBus.subscribe(subject, { callback: () => void heard.push(subject) });
      }
      await daemonBus.flush();
      for (const subject of [log, reserved]) solverBus.publish(subject, new Uint8Array(1));
      await solverBus.flush();
      await daemonBus.flush();
      expect(heard).toEqual([]);
    } finally {
      await fleet.close();
      await solver.close();
      await engine.close();
      await Promise.all([solverBus.close(), daemonBus.close()]);
      await server.stop();
      rmSync(directory, { recursive: true });
    }
  });
});
