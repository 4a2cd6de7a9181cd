/**
 * Three daemons, two solvers and a network that records every payment, while processes are killed and paused,
 * and layers change. FULGURITE_CHAOS_PAYMENTS sets the number of payments, and then the database is also
 * killed and a link is cut. FULGURITE_TEST_SEED is the seed. `node build/test/fleet/chaos/main.js` runs the
 * same without a test runner.
 */
import { expect, test } from 'vitest';
import { recordsOf } from '../../src/model/graph/graph-records.ts';
import { describeNeeding } from '../needs.ts';
import { POSTGRES_PROGRAMS } from '../store/postgres-server.ts';
import { chaos } from './chaos/chaos.ts';
import { worldGraph } from './chaos/world.ts';
import { natsServerPath } from './nats-server.ts';

const isThere = natsServerPath !== undefined && POSTGRES_PROGRAMS !== undefined;
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 20_261_122);
const FEW = 60;
const PAYMENTS = Number(process.env.FULGURITE_CHAOS_PAYMENTS ?? FEW);
/** Time limit per payment in milliseconds, more than enough on a busy machine. */
const MS_FOR_EACH = 10_000;
const isLong = PAYMENTS > FEW;

describeNeeding(natsServerPath === undefined ? 'nats' : 'postgres', isThere, 'a fleet in chaos', () => {
  test(
    `pays nothing twice and loses nothing (seed ${SEED})`,
    async () => {
      const report = await chaos({
        seed: SEED,
        payments: PAYMENTS,
        daemons: 3,
        solvers: 2,
        leaseMs: 1000,
        gapMs: 15,
        blowEveryMs: 700,
        mostBlows: isLong ? Number.POSITIVE_INFINITY : 6,
        width: isLong ? 32 : 10,
        hitsDatabase: isLong,
      });
      const first = worldGraph(SEED);
      const worldRecords = [...recordsOf(first)].length + 1;
      expect(report).toMatchObject({
        paidTwice: 0,
        wronglyTold: 0,
        unknown: 0,
        lost: 0,
        open: 0,
        openAt: [],
        routesFailed: 0,
        holes: 0,
        unequal: 0,
        unequalIn: [],
        staleReads: 0,
        reservations: 0,
        foreign: 0,
      });
      expect(report.layerChanges).toBeGreaterThan(0);
      // The log contains more than the initial graph, so changes of the graph have reached it as well.
      expect(report.graphChanges).toBeGreaterThan(worldRecords);
      expect(report.complete + report.failed).toBe(PAYMENTS);
      expect(report.complete).toBeGreaterThan(PAYMENTS / 2);
      expect(report.kills + report.pauses).toBeGreaterThan(0);
      expect(report.searchesOutside).toBeGreaterThan(0);
    },
    MS_FOR_EACH * PAYMENTS,
  );
});
