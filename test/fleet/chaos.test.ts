/**
 * Three daemons, two solvers and a network that keeps books, while processes are killed and stopped. The long run is
 * `node build/test/fleet/chaos/main.js`.
 */
import { expect, test } from 'vitest';
import { describeNeeding } from '../needs.ts';
import { POSTGRES_PROGRAMS } from '../store/postgres-server.ts';
import { chaos } from './chaos/chaos.ts';
import { natsServerPath } from './nats-server.ts';

const isThere = natsServerPath !== undefined && POSTGRES_PROGRAMS !== undefined;
const SEED = 20_261_122;

describeNeeding(natsServerPath === undefined ? 'nats' : 'postgres', isThere, 'a fleet in chaos', () => {
  test(`pays nothing twice and loses nothing (seed ${SEED})`, async () => {
    const report = await chaos({
      seed: SEED,
      payments: 60,
      daemons: 3,
      solvers: 2,
      leaseMs: 1000,
      gapMs: 15,
      blowEveryMs: 700,
      mostBlows: 6,
      width: 10,
      hitsDatabase: false,
    });
    expect(report).toMatchObject({
      paidTwice: 0,
      wronglyTold: 0,
      unknown: 0,
      lost: 0,
      open: 0,
      routesFailed: 0,
    });
    expect(report.complete + report.failed).toBe(60);
    expect(report.complete).toBeGreaterThan(30);
    expect(report.kills + report.pauses).toBeGreaterThan(0);
    expect(report.searchesOutside).toBeGreaterThan(0);
  });
});
