/**
 * The cases that Core Lightning’s own tests of `auto.allow_circular` cover (pull request 9286): one
 * deterministic cycle, a layer that already uses the made-up channel id, channels disabled by a layer, and no
 * effect on other requests.
 *
 *     us ──all ours── L2 ──104x1x0── L3 ──all theirs── us       the only circle for 100,000 msat
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { msatFromSat } from '../../../src/model/msat.ts';
import { L2, L3, L4 } from '../../payments/line-graph.ts';
import { OWN_ID } from '../../payments/simulation/simulated-node.ts';
import { PaymentNode } from '../payment-node.ts';

const CAPACITY = msatFromSat(1_000_000);
const AMOUNT = 100_000;
let node: PaymentNode;
let own: readonly { readonly short_channel_id: string; readonly peer_id: string }[];

beforeAll(async () => {
  const ends = [
    { peerId: L2, capacityMsat: CAPACITY, localMsat: CAPACITY },
    { peerId: L3, capacityMsat: CAPACITY, localMsat: msatFromSat(0n) },
  ];
  node = new PaymentNode({ simulation: { ownChannels: ends } });
  await node.start();
  own = (await node.result('listpeerchannels')).channels;
});
afterAll(() => node?.stop());

const ask = (layers: readonly string[], more: object = {}) => ({
  ...{ source: OWN_ID, destination: OWN_ID, amount_msat: AMOUNT, final_cltv: 99, maxfee_msat: AMOUNT },
  ...{ layers: ['auto.localchans', 'auto.sourcefree', ...layers], ...more },
});
const CIRCULAR = 'auto.allow_circular';
const nodesOf = (path: readonly { node_id_in: string; node_id_out: string }[]): string[] => [
  path[0]!.node_id_in,
  ...path.map(({ node_id_out }) => node_id_out),
];
const idTo = (peer: string): string => own.find(({ peer_id }) => peer_id === peer)!.short_channel_id;

test('source and destination may be equal only with the layer, and then the only cycle is found', async () => {
  expect((await node.error('getroutes', ask([]))).message).toBe('source and destination must be different');
  const { routes } = await node.result('getroutes', ask([CIRCULAR]));
  expect(routes).toMatchObject([{ amount_msat: AMOUNT, final_cltv: 99 }]);
  const [{ path }] = routes;
  expect(nodesOf(path)).toEqual([OWN_ID, L2, L3, OWN_ID]);
  const ids = path.map((hop: { short_channel_id_dir: string }) => hop.short_channel_id_dir.split('/')[0]);
  expect(ids).toEqual([idTo(L2), '104x1x0', idTo(L3)]);
  expect(path.at(-1)).toMatchObject({ amount_out_msat: AMOUNT, cltv_out: 99 });
});

test('a layer’s channel with the id that would be made up changes nothing', async () => {
  const before = await node.result('getroutes', ask([CIRCULAR]));
  await node.result('askrene-create-layer', { layer: 'squat' });
  for (const short_channel_id of ['0x0x0', '0x0x1', '0x0x2']) {
    const channel = {
      layer: 'squat',
      source: L2,
      destination: L4,
      short_channel_id,
      capacity_msat: 1_000_000_000,
    };
    await node.result('askrene-create-channel', channel);
  }
  expect(await node.result('getroutes', ask([CIRCULAR, 'squat']))).toEqual(before);
});

test('there is no circle if a layer disables the way out or the way back', async () => {
  for (const [layer, peer, isOut] of [
    ['no-way-out', L2, true],
    ['no-way-back', L3, false],
  ] as const) {
    await node.result('askrene-create-layer', { layer });
    const out = OWN_ID < peer ? 0 : 1;
    const direction = `${idTo(peer)}/${isOut ? out : 1 - out}`;
    await node.result('askrene-update-channel', { layer, short_channel_id_dir: direction, enabled: false });
    expect((await node.error('getroutes', ask([CIRCULAR, layer])))?.code, layer).toBe(205);
  }
});

test('the layer has no effect if source and destination differ', async () => {
  const plain = ask([], { destination: L4 });
  const without = await node.result('getroutes', plain);
  expect(await node.result('getroutes', { ...plain, layers: [...plain.layers, CIRCULAR] })).toEqual(without);
});
