/**
 * Connections take turns at beginning requests. A client may send ten thousand at once: one by one, over many
 * connections, or as a batch. All are read and answered, and a second client's single request waits only
 * briefly. The test checks the order in which requests begin, not the time.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { defineCommandFor, required } from '../../src/rpc/command.ts';
import { string } from '../../src/rpc/param-types.ts';
import { Turns } from '../../src/rpc/turns.ts';
import { RawClient, serve, type TestServer } from './support.ts';

/** Maximum number of the many requests that may begin before the single one. */
const FEW = 1_500;

let server: TestServer;
let begun: string[] = [];
let onFirst: () => void = () => undefined;
const clients: RawClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server?.stop();
});

const note = defineCommandFor<null>()({
  name: 'note',
  summary: 'Notes who asked.',
  description: 'Notes who asked.',
  category: 'utility',
  params: { who: required(string, 'Who asks.') },
  result: {},
  handler({ who }) {
    begun.push(who);
    if (begun.length === 1) onFirst();
    return {};
  },
});

async function connected(): Promise<RawClient> {
  const client = new RawClient(server.path);
  clients.push(client);
  await client.ask('{"id":0,"method":"note","params":["warm"]}');
  return client;
}

const request = (who: string) => `{"id":1,"method":"note","params":["${who}"]}`;

/**
 * The single request's place in the order of all. The single request is sent when the first of the others
 * begins.
 */
async function placeOfSingle(
  flood: (client: RawClient, index: number) => string,
  floods: number,
): Promise<number> {
  server = await serve([note], null, { maxInFlight: 100_000, maxUnsentBytes: 2 ** 30 });
  const single = await connected();
  const many = await Promise.all(Array.from({ length: floods }, connected));
  begun = [];
  onFirst = () => single.send(request('single'));
  for (const [index, client] of many.entries()) client.send(flood(client, index));
  await single.next();
  return begun.indexOf('single');
}

describe('a single request', () => {
  it('does not wait for ten thousand of one connection', async () => {
    expect(await placeOfSingle(() => request('many').repeat(10_000), 1)).toBeLessThan(FEW);
  });

  it('does not wait for a hundred connections with two hundred each', async () => {
    expect(await placeOfSingle(() => request('many').repeat(200), 100)).toBeLessThan(FEW);
  });

  it('does not wait for a batch of ten thousand', async () => {
    const batch = `[${Array(10_000).fill(request('many')).join(',')}]`;
    expect(await placeOfSingle(() => batch, 1)).toBeLessThan(FEW);
  });
});

it('ten thousand requests of one connection are all answered, in order, within the limit of requests in flight', async () => {
  server = await serve([note], null, { maxInFlight: 16 });
  const client = await connected();
  const ids = Array.from({ length: 10_000 }, (_, index) => index + 1);
  client.send(ids.map((id) => `{"id":${id},"method":"note","params":["one"]}`).join(''));
  const answered: number[] = [];
  while (answered.length < ids.length) answered.push(JSON.parse((await client.next())!).id);
  expect(answered).toEqual(ids);
});

describe('turns', () => {
  const later = () => new Promise((resolve) => setImmediate(resolve));

  it('are given in the order of waiting; a caller that waits again joins the end of the queue', async () => {
    const turns = new Turns();
    while (turns.take());
    const order: string[] = [];
    turns.wait(() => {
      order.push('a1');
      turns.wait(() => order.push('a2'));
    });
    turns.wait(() => order.push('b1'));
    await later();
    expect(order).toEqual(['a1', 'b1', 'a2']);
  });

  it('cannot be taken while others wait; a returned turn can', async () => {
    const turns = new Turns();
    let taken = 0;
    while (turns.take()) taken++;
    turns.giveBack();
    expect([turns.take(), turns.take()]).toEqual([true, false]);
    const order: number[] = [];
    for (let i = 0; i < 2 * taken; i++) turns.wait(() => order.push(i));
    await later();
    expect(order).toHaveLength(taken);
    expect(turns.take()).toBe(false);
    await later();
    expect(order).toEqual(Array.from({ length: 2 * taken }, (_, i) => i));
  });
});
