/**
 * A solver's account on the bus needs only the rights that docs/fleet.md lists: with these it serves, and the
 * server refuses messages that it sends in the name of a daemon.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { connectBus } from '../../src/fleet/bus.ts';
import { subjects } from '../../src/fleet/bus-messages.ts';
import { BusSolvers } from '../../src/fleet/bus-solvers.ts';
import { FleetName } from '../../src/fleet/fleet-name.ts';
import { followCopies, sendCopies } from '../../src/fleet/log-feed.ts';
import { noSharedLayers } from '../../src/fleet/shared-layers.ts';
import { Solver } from '../../src/fleet/solver.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { makeCertificate } from '../../src/http/certificate.ts';
import { LayerBook, LEARNED_LAYER_ID } from '../../src/layers/layer-book.ts';
import { machineMs } from '../../src/model/clock.ts';
import { msat } from '../../src/model/msat.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { describeNeeding } from '../needs.ts';
import { natsServerPath, startNatsServer } from './nats-server.ts';
import { publicKey, seedOf } from './nats-tokens.ts';

const CHAIN = 'regtest';
const FLEET = new FleetName(CHAIN, '00112233445566aa');
const graph = generateSyntheticGraph({ nodeCount: 200, seed: 5 });

/** The configuration that the manual recommends, completed where the manual leaves parts open. */
function configOfManual(parts: Readonly<Record<string, string>>): string {
  const manual = readFileSync(new URL('../../docs/fleet.md', import.meta.url), 'utf8');
  const [, block] = /```text\n(tls \{.*?)```/s.exec(manual) ?? [];
  return Object.entries(parts).reduce((text, [part, value]) => text.replaceAll(part, value), block!);
}

describeNeeding('nats', natsServerPath !== undefined, 'the account of a solver', () => {
  test('serves with the rights in the manual, and can publish nothing else', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fulgurite-nats-'));
    const file = (name: string): string => join(directory, name);
    const { ca, cert, key } = await makeCertificate(['localhost']);
    const [daemonKey, solverKey] = [nkeys.createUser(), nkeys.createUser()];
    const config = configOfManual({
      '/etc/nats/server.pem': file('cert'),
      '/etc/nats/server.key': file('key'),
      ...{ DAEMON_KEY: publicKey(daemonKey), SOLVER_KEY: publicKey(solverKey) },
      ...{ CHAIN, FLEET: FLEET.id },
    });
    const files = { ca, cert, key, config, daemon: seedOf(daemonKey), solver: seedOf(solverKey) };
    for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
    const server = await startNatsServer(-1, '127.0.0.1', '-c', file('config'));
    const { port } = new URL(server.url);
    const at = (role: string): string => `tls://localhost:${port}?ca=${file('ca')}&nkey=${file(role)}`;
    const [solverBus, daemonBus] = [await connectBus(at('solver'), 's'), await connectBus(at('daemon'), 'd')];
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
      // The daemon's lessons must reach the solver for its search.
      shared.book.learned.setBurden(graph.nodeId(7), 3);
      solver.publish(graph);
      fleet.publish(graph);
      await expect.poll(() => [fleet.hasRoom(), copied]).toEqual([true, [7]]);
      const query = {
        ...{ source: graph.nodeId(1), destination: graph.nodeId(100), amountMsat: msat(1_000_000n) },
        ...{ maxfeeMsat: msat(1_000_000n), finalCltv: 18, maxdelay: 2016, maxparts: 4, maxhops: 20 },
        ...{ layerIds: [LEARNED_LAYER_ID], layerNames: ['auto.learned'], includeFees: false },
      };
      const asked = await fleet.ask({
        query,
        lane: 'query',
        deadline: machineMs() + 30_000,
        judge: () => 'good',
      });
      expect(asked).toHaveProperty('answer');

      const heard: string[] = [];
      const { log, reserved, layers } = subjects(FLEET);
      for (const subject of [log, reserved, layers]) {
        daemonBus.subscribe(subject, { callback: () => void heard.push(subject) });
      }
      await daemonBus.flush();
      for (const subject of [log, reserved, layers]) solverBus.publish(subject, new Uint8Array(1));
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
