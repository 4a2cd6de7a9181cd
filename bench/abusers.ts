/**
 * A crowd of one kind in a separate process, at low priority: clients that abort, hold connections, follow events, or
 * repeatedly send requests that are refused. `http-abuse.ts` starts it, and ends it with a signal.
 */
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, get, HOST, holders, repeat } from './attacked.ts';

/** The crowd's instructions. */
export interface AbuseOrder {
  readonly kind: AbuseKind;
  readonly port: number;
  /** A rune that permits everything. */
  readonly rune: string;
  /** A rune that permits nothing. */
  readonly useless: string;
  /** A node to request routes to. */
  readonly node: string;
}

const LOW_PRIORITY = 10;
const CLIENTS = 64;
/** Milliseconds between checks for lost connections, in the crowds that hold connections. */
const BEAT_MS = 500;
/** Number of connections that are opened together and then aborted. */
const BROKEN = 50;

/** Keeps this many connections open after sending a text over each. */
async function hold(count: number, port: number, text: string): Promise<never> {
  let held = holders(port, count, text);
  for (;;) {
    await sleep(BEAT_MS);
    const open = held.filter(({ destroyed }) => !destroyed);
    held = [...open, ...holders(port, count - open.length, text)];
  }
}

/** Runs 64 clients that repeat the call without a pause. */
function always(call: () => Promise<unknown>): Promise<unknown> {
  return repeat(CLIENTS, async () => {
    for (;;) await call();
  });
}

const batchOf = (node: string, count: number) => ({
  source: node,
  requests: Array.from({ length: count }, () => ({ destination: node, amount_msat: 1000 })),
});

/** What each kind of crowd does. */
const KINDS = {
  'paths that are malformed': ({ port }: AbuseOrder) => always(() => ask(port, '/ui/%zz')),
  'bodies that break off': ({ port, rune }: AbuseOrder) => {
    const head = `POST /v1/getinfo HTTP/1.1\r\nHost: ${HOST}\r\nRune: ${rune}\r\nContent-Length: 100\r\n\r\n{`;
    return (async () => {
      for (;;) {
        const sockets = holders(port, BROKEN, head);
        await sleep(BEAT_MS / 5);
        for (const socket of sockets) socket.destroy();
      }
    })();
  },
  'batches of 10,000 without a rune': ({ port }: AbuseOrder) => {
    const body = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, method: 'getinfo' })));
    return always(() => ask(port, '/', { body }));
  },
  'readers of /openrpc.json': ({ port }: AbuseOrder) => always(() => ask(port, '/openrpc.json')),
  '1,100 connections that are held': ({ port }: AbuseOrder) => hold(1100, port, get('/healthz')),
  '70 followers of one rune': ({ port, rune }: AbuseOrder) =>
    hold(70, port, get('/v1/notifications', `Rune: ${rune}\r\n`)),
  'batches that are not permitted': ({ port, useless, node }: AbuseOrder) => {
    const body = JSON.stringify(batchOf(node, 5000));
    return always(() => ask(port, '/v1/getroutes-batch', { rune: useless, body }));
  },
  'batches with a wrong request': ({ port, rune, node }: AbuseOrder) => {
    const { source, requests } = batchOf(node, 5000);
    const body = JSON.stringify({ source, layers: [], maxfee_msat: 1000, requests: [...requests, {}] });
    return always(() => ask(port, '/v1/getroutes-batch', { rune, body }));
  },
} satisfies Record<string, (order: AbuseOrder) => Promise<unknown>>;

/** The name of a kind of crowd. */
export type AbuseKind = keyof typeof KINDS;

if (process.send !== undefined) {
  setPriority(LOW_PRIORITY);
  process.once('message', (order: AbuseOrder) => void KINDS[order.kind](order));
}

/** All kinds. */
export const ABUSE_KINDS = Object.keys(KINDS) as AbuseKind[];
