/**
 * `--network none`, through the daemon and its socket. Routes and layers work as on any network. Commands that need a
 * network report that at once, with a remedy. Nothing is marked as simulated, because there is no money at all.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { decodeOffer, encodeOffer, formatOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
let daemon: DaemonHere;

beforeAll(async () => {
  daemon = await DaemonHere.start(directory.path, ['--network', 'none', '--graph', 'synthetic:50']);
});
afterAll(async () => {
  await daemon?.stop();
  directory.remove();
});

/** Two neighbours of the graph. */
async function neighbours(): Promise<{
  source: string;
  destination: string;
}> {
  const { channels } = await daemon.result('listchannels');
  return channels.find(({ active }: { active: boolean }) => active);
}

test('routes are found, and a layer can block a found route', async () => {
  const { source, destination } = await neighbours();
  const query = { source, destination, amount_msat: 1000, maxfee_msat: 100_000, final_cltv: 18 };
  const first = async (layers: string[]): Promise<string | undefined> => {
    const { result: found, error } = await daemon.call('getroutes', { ...query, layers });
    expect(error?.code ?? 205).toBe(205);
    return found?.routes[0].path[0].short_channel_id_dir;
  };
  const used = await first([]);
  await daemon.result('askrene-create-layer', { layer: 'without', persistent: true });
  await daemon.result('askrene-update-channel', {
    layer: 'without',
    short_channel_id_dir: used,
    enabled: false,
  });
  expect(await first(['without'])).not.toBe(used);
  expect((await daemon.result('askrene-listlayers', { layer: 'without' })).layers).toMatchObject([
    { persistent: true },
  ]);
  expect(await first([])).toBe(used);
});

describe('a command that needs a network', () => {
  const terms = {
    offerAmount: 1000n,
    offerDescription: 'news',
    offerIssuerId: curve.publicKey(new Uint8Array(32).fill(7)),
  };
  const weekly = { offerRecurrenceCompulsory: { timeUnit: 1, period: 7 } };
  const OFFER = formatOffer(decodeOffer(encodeOffer(terms)));
  const SERIES = formatOffer(decodeOffer(encodeOffer({ ...terms, ...weekly })));
  const toNeighbour = async () => ({ destination: (await neighbours()).destination, amount_msat: 1000 });

  test.each(['keysend', 'xkeysend', 'plankeysend'])(
    '%s reports that it cannot pay, and what to do',
    async (method) => {
      const error = await daemon.error(method, await toNeighbour());
      expect(error).toMatchObject({ code: -32005, data: { network_kind: 'none' } });
      expect(error.message).toMatch(/no channels to pay with.*'none'.*start it with another --network/);
    },
  );

  test('a refused payment leaves nothing behind', async () => {
    expect(await daemon.result('listpays')).toEqual({ pays: [] });
    expect(await daemon.result('askrene-listreservations')).toEqual({ reservations: [] });
  });

  test.each([
    ['fetchinvoice', { offer: OFFER }],
    ['cancelrecurringinvoice', { offer: SERIES, recurrence_counter: 1, recurrence_label: 'a' }],
  ])('%s reports that it cannot send onion messages, and what to do', async (method, params) => {
    const error = await daemon.error(method, params);
    expect(error).toMatchObject({ code: -32005, data: { network_kind: 'none' } });
    expect(error.message).toMatch(/cannot send onion messages.*'none'.*Start it with another --network/);
  });

  test('`check` reports the same', async () => {
    const checked = await daemon.error('check', { command_to_check: 'keysend', ...(await toNeighbour()) });
    expect(checked).toMatchObject({ code: -32005 });
  });

  test('connect and disconnect report it too', async () => {
    const id = (await neighbours()).source;
    expect(await daemon.error('connect', { id })).toMatchObject({ code: -32005 });
    expect(await daemon.error('disconnect', { id })).toMatchObject({ code: -32005 });
  });
});

test('getinfo names the network, and no amount is marked as simulated, because there is no money', async () => {
  expect(await daemon.result('getinfo')).toMatchObject({
    network_kind: 'none',
    network: 'bitcoin',
    num_peers: 0,
  });
  for (const method of [
    'getinfo',
    'listpays',
    'listsendpays',
    'listfunds',
    'listpeerchannels',
    'paystatus',
  ]) {
    expect(await daemon.result(method), method).not.toHaveProperty('simulated');
  }
});
