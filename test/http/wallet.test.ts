/**
 * Requests that the wallet Zeus makes to Core Lightning's REST, sent to ours. They are taken from its source
 * (github.com/ZeusLN/zeus, backends/CLNRest.ts at 010fb54). Its headers are `Rune` and `Content-Type`; a
 * request without parameters has no body; amounts are numbers, or null if there is none. It treats a status
 * below 300 as success, splits an answer at its newlines and reads the second-to-last line, and shows the
 * `message` of an error.
 */
import { readFileSync } from 'node:fs';
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
  const options = ['--graph', 'synthetic:100', '--seed', '7', '--http', '127.0.0.1:0', '--http-tls', 'on'];
  daemon = await DaemonHere.start(join(directory.path, 'home'), options);
  const methods = [
    'getinfo',
    'keysend',
    'pay',
    'decode',
    'connect',
    'offer',
    'disableoffer',
    'fetchinvoice',
    'sql',
  ];
  const restrictions = [[...methods.map((method) => `method=${method}`), 'method^list']];
  ({ rune } = await daemon.result('createrune', { restrictions }));
  peer = (await daemon.result('listpeerchannels')).channels[0].peer_id;
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

/** The wallet's answer to a request. @throws Error with the message that it shows */
// biome-ignore lint/suspicious/noExplicitAny: each answer has a shape of its own, which is what is checked
async function postRequest(route: string, data?: object): Promise<any> {
  const ca = readFileSync(join(directory.path, 'home/http-certificates/ca.pem'), 'utf8');
  const { status, text } = await ask(`${daemon.httpUrl}${route}`, {
    method: 'post',
    headers: { Rune: rune, 'Content-Type': 'application/json' },
    ca,
    ...(data !== undefined && { body: JSON.stringify(data) }),
  });
  if (status < 300) {
    const lines = text.split('\n');
    return JSON.parse(text.includes('\n') ? lines[lines.length - 2]! : text);
  }
  throw new Error(JSON.parse(text).message);
}

/** An amount as the wallet derives it from its user's input: NaN, and therefore null, if there is none. */
const amountMsat = (typedSat: string | undefined): number =>
  Number(typedSat && (typedSat as unknown as number) * 1000);

test('on connecting, the wallet reads our identity, our channels and our balance', async () => {
  const { version, fees_collected_msat, alias } = await postRequest('/v1/getinfo');
  // The wallet compares versions by their numbers, and divides the fees by a thousand.
  expect(version).toMatch(/^v?\d+\.\d+/);
  expect([typeof fees_collected_msat, typeof alias]).toEqual(['number', 'string']);
  const { channels } = await postRequest('/v1/listpeerchannels');
  expect(channels.length).toBeGreaterThan(0);
  for (const channel of channels) {
    expect(channel).toMatchObject({
      peer_id: expect.stringMatching(/^0[23]/),
      peer_connected: true,
      state: 'CHANNELD_NORMAL',
      short_channel_id: expect.any(String),
      to_us_msat: expect.any(Number),
      total_msat: expect.any(Number),
      private: expect.any(Boolean),
    });
  }
  const funds = await postRequest('/v1/listfunds');
  const ours = funds.channels.reduce(
    (sum: number, one: { our_amount_msat: number }) => sum + one.our_amount_msat,
    0,
  );
  expect(ours).toBe(channels.reduce((sum: number, one: { to_us_msat: number }) => sum + one.to_us_msat, 0));
  expect(funds.outputs).toEqual([]);
  expect((await postRequest('/v1/listnodes', { id: peer })).nodes).toMatchObject([{ nodeid: peer }]);
  expect(await postRequest('/v1/listconfigs')).toHaveProperty('configs');
  expect(await postRequest('/v1/connect', { id: peer, host: undefined, port: undefined })).toMatchObject({
    id: peer,
  });
});

test('the wallet pays a node id, and an invoice without stating the amount', async () => {
  const paid = await postRequest('/v1/keysend', {
    destination: peer,
    amount_msat: amountMsat('21'),
    maxfeepercent: undefined,
  });
  expect(paid).toMatchObject({
    status: 'complete',
    amount_msat: 21_000,
    payment_preimage: expect.any(String),
  });
  const { bolt11 } = await daemon.result('simulatedinvoice', {
    id: peer,
    amount_msat: 5000,
    description: 'tea',
  });
  expect(await postRequest('/v1/decode', { string: bolt11 })).toMatchObject({
    type: 'bolt11 invoice',
    valid: true,
    amount_msat: 5000,
    description: 'tea',
  });
  const body = { bolt11, amount_msat: amountMsat(undefined), maxfeepercent: '5' };
  expect(JSON.stringify(body)).toContain('"amount_msat":null');
  expect(await postRequest('/v1/pay', body)).toMatchObject({ status: 'complete', amount_msat: 5000 });
});

test('the wallet creates an offer, lists it and disables it; and fetches an invoice for a different offer', async () => {
  const made = await postRequest('/v1/offer', {
    amount: 'any',
    description: 'tips',
    label: undefined,
    single_use: false,
  });
  expect((await postRequest('/v1/listoffers', { active_only: true })).offers).toMatchObject([
    { offer_id: made.offer_id, active: true },
  ]);
  expect(await postRequest('/v1/disableoffer', { offer_id: made.offer_id })).toMatchObject({ active: false });
  const { offers } = await daemon.result('listsimulatedoffers');
  const { bolt12 } = offers.find(({ kind }: { kind: string }) => kind === 'any_amount');
  const { invoice } = await postRequest('/v1/fetchinvoice', {
    offer: bolt12,
    amount_msat: 7000,
    timeout: 60,
  });
  expect(invoice).toMatch(/^lni1/);
});

test('missing commands and refusals by the rune are shown as a message', async () => {
  await expect(postRequest('/v1/sql', { query: 'SELECT 1' })).rejects.toThrow("Unknown command 'sql'");
  await expect(postRequest('/v1/withdraw', { destination: 'bc1q', satoshi: 'all' })).rejects.toThrow(
    'Not permitted',
  );
  await expect(
    postRequest('/v1/keysend', { destination: peer, amount_msat: amountMsat('abc') }),
  ).rejects.toThrow('amount_msat');
});
