/**
 * Events over HTTP: a client whose rune permits listing follows payments, resumes at its position, and gets
 * an error if the position is too old. Other clients get nothing.
 */
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { ask } from './http-client.ts';

const directory = temporaryDirectory();
let daemon: DaemonHere;
let rune: string;
let peer: string;

beforeAll(async () => {
  const options = ['--graph', 'synthetic:200', '--seed', '7', '--http', '127.0.0.1:0'];
  daemon = await DaemonHere.start(join(directory.path, 'home'), options);
  ({ rune } = await daemon.result('createrune', { restrictions: 'readonly' }));
  peer = (await daemon.result('listpeerchannels')).channels[0].peer_id;
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

interface Told {
  readonly id: number;
  readonly name: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: each kind of event has a shape of its own
  readonly data: any;
}

/** Follows events as a browser's EventSource does, and returns the next one on request. */
class Follower {
  readonly events: Told[] = [];
  #text = '';
  #wake: () => void = () => undefined;
  readonly #request;

  constructor(headers: Record<string, string>) {
    this.#request = request(`${daemon.httpUrl}/v1/notifications`, { headers, agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => this.#take(chunk));
      response.on('error', () => undefined);
    });
    this.#request.on('error', () => undefined);
    this.#request.end();
  }

  #take(chunk: string): void {
    this.#text += chunk;
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const data = fields.get('data');
      this.events.push({
        id: Number(fields.get('id')),
        name: fields.get('event'),
        data: data === undefined ? undefined : JSON.parse(data),
      });
    }
    this.#wake();
  }

  /** The first event that meets the condition, now or later. */
  async until(holds: (event: Told) => boolean): Promise<Told> {
    for (;;) {
      const found = this.events.find(holds);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#request.destroy();
  }
}

const pay = (): Promise<{ payment_hash: string }> =>
  daemon.result('keysend', { destination: peer, amount_msat: 1000, label: 'tea' });
const isEndOf =
  (hash: string) =>
  ({ name, data }: Told) =>
    name === 'payment' && data.status === 'complete' && data.payment.payment_hash === hash;

test('the stream reports payments and attempts, in order, without secrets', async () => {
  const follower = new Follower({ Rune: rune });
  // The position at which the client began to follow.
  const { id } = await follower.until((event) => event.id > 0);
  const { payment_hash, payment_preimage } = (await pay()) as {
    payment_hash: string;
    payment_preimage: string;
  };
  const { data } = await follower.until(isEndOf(payment_hash));
  expect(data).toMatchObject({
    type: 'payment',
    status: 'complete',
    simulated: true,
    payment: { command: 'keysend', destination: peer, amount_msat: 1000, label: 'tea' },
    parts: 1,
  });
  const attempt = await follower.until(
    ({ name, data: told }) => name === 'attempt' && told.attempt.status === 'success',
  );
  expect(attempt.data).toMatchObject({
    payment: { payment_hash },
    attempt: { status: 'success', partid: 0 },
  });
  await follower.until(({ name }) => name === 'stats');
  const ids = follower.events.filter(({ name }) => name !== undefined).map((event) => event.id);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(ids[0]).toBeGreaterThan(id);
  expect(JSON.stringify(follower.events)).not.toContain(payment_preimage);
  follower.close();
});

test('the stream continues after the last event that the client has seen', async () => {
  const first = new Follower({ Rune: rune });
  await first.until((event) => event.id > 0);
  const one = await pay();
  const { id } = await first.until(isEndOf(one.payment_hash));
  first.close();
  const two = await pay();
  const again = new Follower({ Rune: rune, 'Last-Event-ID': String(id) });
  await again.until(isEndOf(two.payment_hash));
  expect(again.events.some(isEndOf(one.payment_hash))).toBe(false);
  again.close();
});

test('the stream reports it if missed events are no longer known', async () => {
  for (const id of ['1', String(Number.MAX_SAFE_INTEGER)]) {
    const follower = new Follower({ Rune: rune, 'Last-Event-ID': id });
    expect((await follower.until(({ name }) => name === 'reset')).data).toEqual({});
    follower.close();
  }
});

test('the stream requires a rune that permits listing', async () => {
  const { rune: paying } = await daemon.result('createrune', { restrictions: [['method=keysend']] });
  const get = (headers: Record<string, string>) =>
    ask(`${daemon.httpUrl}/v1/notifications`, { method: 'GET', headers });
  expect((await get({ Rune: paying })).status).toBe(401);
  expect((await get({})).status).toBe(403);
  const { rune: rare } = await daemon.result('createrune', { restrictions: [['method^list'], ['rate=1']] });
  const follower = new Follower({ Rune: rare });
  await follower.until((event) => event.id > 0);
  expect((await get({ Rune: rare })).status).toBe(401);
  follower.close();
});

test('an open stream does not keep the daemon from stopping', async () => {
  const follower = new Follower({ Rune: rune });
  await follower.until((event) => event.id > 0);
  await daemon.stop();
  follower.close();
});
