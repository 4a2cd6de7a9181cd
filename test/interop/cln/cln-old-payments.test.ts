/**
 * `getroute`, `sendpay`, `waitsendpay`, `createonion` and `sendonion` as older clients use them: the same
 * steps are run on a real node and on our daemon on the simulated network. Codes, texts and members of all
 * answers must agree.
 *
 *     node a ── b ── c                      our node ── … ── …
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DaemonHere } from '../../commands/daemon-here.ts';
import { describeNeeding } from '../../needs.ts';
import { RawClient } from '../../rpc/support.ts';
import { ClnNodes, haveNodes } from './cln-nodes.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each method gives
type Json = any;

/** One side: its socket, a recipient at least two hops away, and invoices of that recipient. */
interface Side {
  readonly ask: (method: string, params?: object) => Promise<Json>;
  readonly payee: string;
  readonly ownId: string;
  invoice(amountMsat: number): Promise<{ payment_hash: string; payment_secret: string; bolt11: string }>;
}

/** Members that only we have: simulated amounts are marked. */
const OURS: ReadonlySet<string> = new Set(['simulated']);

/** The members of an answer with the types of their values, so that answers of two nodes can be compared. */
function shape(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.keys(value)
      .filter((key) => !OURS.has(key))
      .sort()
      .map((key) => [key, shape(value[key])]),
  );
}

const INVALID_PARAMS = -32602;
const NO_ROUTE = 205;
const NEVER_SENT = 208;

/** An error without anything specific to one network: ids, channels, and amounts that contain fees. */
function told({ code, message, data }: Json): Json {
  const text = String(message)
    .replace(/[0-9a-f]{64,66}/g, 'ID')
    .replace(/\d+x\d+x\d+(\/[01])?/g, 'SCID')
    // The node's error repeats the token; we write it only to the log.
    .replace(/invalid token .*/, 'invalid token');
  // Our errors for parameters and for parts that were never sent have data; the node's have none.
  const isBare = [INVALID_PARAMS, NO_ROUTE, NEVER_SENT].includes(code);
  return { code, message: text, data: isBare ? undefined : data && shape(withoutState(data)) };
}

/**
 * The data of a failure without the part's status. The node reports "pending" there even if its row has
 * failed. We report the status in the row, because clients must be able to rely on it.
 */
const withoutState = ({ status: _status, completed_at: _at, updated_index: _index, ...rest }: Json): Json =>
  rest;

const HASH = 'ab'.repeat(32);
const SECRET = 'cd'.repeat(32);

/** The steps. Each returns the value to compare. */
const STEPS: readonly (readonly [string, (side: Side) => Promise<Json>])[] = [
  [
    'getroute: the members of a hop, and delays',
    async ({ ask, payee }) => {
      const { route } = await ask('getroute', { id: payee, amount_msat: 100_000, riskfactor: 1, cltv: 20 });
      const last = route.at(-1);
      return [route.map(shape)[0], last.amount_msat, last.delay, last.style, last.id === payee];
    },
  ],
  [
    'getroute: refusals',
    async ({ ask, payee, ownId }) => {
      const asked = { id: payee, amount_msat: 100_000, riskfactor: 1 };
      const answers = [];
      for (const params of [
        { ...asked, id: `02${'11'.repeat(32)}` },
        { ...asked, id: 'zz' },
        { ...asked, amount_msat: 'x' },
        { ...asked, riskfactor: undefined },
        { ...asked, maxhops: 1 },
        { ...asked, amount_msat: 2_000_000_000_000_000 },
        { ...asked, exclude: ['x'] },
        { ...asked, exclude: [payee] },
        { ...asked, fuzzpercent: 101 },
        { ...asked, fromid: ownId, cltv: 'x' },
      ]) {
        answers.push(told(await ask('getroute', params)));
      }
      return answers;
    },
  ],
  [
    'sendpay and waitsendpay: an invoice is paid',
    async (side) => {
      const { payment_hash, payment_secret, bolt11 } = await side.invoice(100_000);
      const route = await routeOf(side, 100_000);
      const sent = await side.ask('sendpay', { route, payment_hash, payment_secret, bolt11, label: 'tea' });
      const waited = await side.ask('waitsendpay', { payment_hash });
      const again = await side.ask('sendpay', { route, payment_hash, payment_secret });
      const { payments } = await side.ask('listsendpays', { payment_hash });
      return [sent.message, shape(sent), shape(waited), shape(again), again.status, shape(payments)];
    },
  ],
  [
    'sendpay: a route in the names of `getroutes`',
    async (side) => {
      const { payment_hash, payment_secret } = await side.invoice(100_000);
      const route = (await routeOf(side, 100_000)).map(({ id, channel, direction, amount_msat, delay }) => ({
        ...{ node_id_out: id, short_channel_id_dir: `${channel}/${direction}` },
        // `amount_out_msat` takes precedence over `amount_msat`.
        ...{ amount_out_msat: amount_msat, amount_msat: 1, cltv_out: delay },
      }));
      const sent = await side.ask('sendpay', { route, payment_hash, payment_secret });
      const waited = await side.ask('waitsendpay', { payment_hash });
      return [shape(sent), shape(waited), waited.status, waited.amount_msat];
    },
  ],
  [
    'sendpay: two parts of a group',
    async (side) => {
      const { payment_hash, payment_secret } = await side.invoice(100_000);
      const route = await routeOf(side, 50_000);
      const part = { route, payment_hash, payment_secret, amount_msat: 100_000, groupid: 7 };
      const sent = [];
      for (const partid of [1, 2]) sent.push(await side.ask('sendpay', { ...part, partid }));
      const waited = [];
      for (const partid of [1, 2])
        waited.push(await side.ask('waitsendpay', { payment_hash, partid, groupid: 7 }));
      const late = told(await side.ask('sendpay', { ...part, partid: 3 }));
      const total = told(await side.ask('sendpay', { ...part, partid: 4, amount_msat: 200_000 }));
      return [sent.map(shape), waited.map(shape), waited.map(({ status }) => status), late, total];
    },
  ],
  [
    'sendpay: parameters that make no sense',
    async (side) => {
      const route = await routeOf(side, 50_000);
      const asked = { route, payment_hash: HASH, payment_secret: SECRET };
      const all = [
        { ...asked, partid: 1 },
        { ...asked, partid: 1, amount_msat: 10 },
        { ...asked, amount_msat: 60_000 },
        { ...asked, partid: 1, amount_msat: 100_000, payment_secret: undefined },
        { ...asked, payment_hash: 'x' },
        { ...asked, payment_hash: undefined },
        { ...asked, payment_secret: 'x' },
        { ...asked, route: 'x' },
        { ...asked, route: [{ ...route[0], channel: undefined }] },
        { ...asked, route: [{ ...route[0], delay: undefined }] },
        { ...asked, route: [{ ...route[0], id: undefined }] },
        { ...asked, route: [{ ...route[0], amount_msat: undefined }] },
      ];
      // An amount of 0 and an empty route are left out: the node accepts the first, and has a text of its own
      // for the second.
      const odd = [{ channel: 'x' }, { id: 'x' }, { delay: 'x' }, { amount_msat: 'x' }].map((more) => ({
        ...asked,
        route: [{ ...route[0], ...more }],
      }));
      all.push(...odd);
      const answers = [];
      for (const params of all) answers.push(told(await side.ask('sendpay', params)));
      return answers;
    },
  ],
  [
    'sendpay: failures at the recipient, on the way, and at our own node',
    async (side) => {
      const route = await routeOf(side, 50_000);
      await side.ask('sendpay', { route, payment_hash: HASH, payment_secret: SECRET });
      const unknown = await side.ask('waitsendpay', { payment_hash: HASH });
      const { payment_hash, payment_secret } = await side.invoice(50_000);
      const cheap = [{ ...route[0], amount_msat: 50_000 }, ...route.slice(1)];
      await side.ask('sendpay', { route: cheap, payment_hash, payment_secret });
      const low = await side.ask('waitsendpay', { payment_hash });
      const stranger = [{ ...route[0], id: side.payee }, ...route.slice(1)];
      const nobody = await side.ask('sendpay', { route: stranger, payment_hash, payment_secret });
      const rows = (await side.ask('listsendpays', { payment_hash })).payments;
      return [
        [unknown, low, nobody].map(told),
        [unknown.data, low.data].map(({ failcode, failcodename }) => [failcode, failcodename]),
        shape(rows),
      ];
    },
  ],
  [
    'waitsendpay: what was never sent, and a wait that ends',
    async ({ ask }) => [
      told(await ask('waitsendpay', { payment_hash: 'ef'.repeat(32), timeout: 1 })),
      told(await ask('waitsendpay', { payment_hash: 'ef'.repeat(32), partid: 3, groupid: 1 })),
      told(await ask('waitsendpay', { payment_hash: 'x' })),
      told(await ask('waitsendpay', {})),
    ],
  ],
  [
    'createonion: members and refusals',
    async ({ ask, payee }) => {
      // A TLV stream of two records, prefixed with its length.
      const hops = [{ pubkey: payee, payload: '07020207d0040114' }];
      const session_key = '41'.repeat(32);
      const made = await ask('createonion', { hops, assocdata: HASH, session_key });
      return [
        shape(made),
        made.onion?.length,
        made.shared_secrets?.length,
        told(await ask('createonion', { hops: [], assocdata: HASH })),
        told(await ask('createonion', { hops: [{ pubkey: payee }], assocdata: HASH })),
        told(await ask('createonion', { hops: [{ payload: '00' }], assocdata: HASH })),
        told(await ask('createonion', { hops: [{ pubkey: 'x', payload: '00' }], assocdata: HASH })),
        told(await ask('createonion', { hops: [{ pubkey: payee, payload: '05aa' }], assocdata: HASH })),
        told(await ask('createonion', { hops: [{ pubkey: payee, payload: 'x' }], assocdata: HASH })),
        // Left out: the node accepts an empty payload, and treats invalid associated data as absent. We
        // refuse both.
        told(await ask('createonion', { hops: 'x', assocdata: HASH })),
      ];
    },
  ],
  [
    'sendonion: refusals',
    async (side) => {
      const [hop] = await routeOf(side, 50_000);
      const first_hop = { id: hop.id, channel: hop.channel, amount_msat: 50_000, delay: 20 };
      const onion = '00'.repeat(1366);
      const answers = [];
      for (const params of [
        { onion: '00', first_hop, payment_hash: SECRET },
        { onion, first_hop: 'x', payment_hash: SECRET },
        { onion, first_hop, payment_hash: 'x' },
        { onion, first_hop, payment_hash: SECRET },
        { onion: `01${onion.slice(2)}`, first_hop, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, id: undefined }, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, id: undefined, channel: undefined }, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, id: 'x' }, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, channel: 'x' }, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, amount_msat: 'x' }, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, amount_msat: undefined }, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, delay: 'x' }, payment_hash: SECRET },
        { onion, first_hop: { ...first_hop, delay: undefined }, payment_hash: SECRET },
      ]) {
        answers.push(told(await side.ask('sendonion', params)));
      }
      return answers;
    },
  ],
];

async function routeOf({ ask, payee }: Side, amount_msat: number): Promise<Json[]> {
  return (await ask('getroute', { id: payee, amount_msat, riskfactor: 1, cltv: 20 })).route;
}

describeNeeding('lightningd', haveNodes, 'payments of older clients, beside those of a real node', () => {
  let nodes: ClnNodes;
  let daemon: DaemonHere;
  let theirs: Side;
  let ours: Side;
  const clients: RawClient[] = [];

  function asker(path: string): Side['ask'] {
    const client = new RawClient(path);
    clients.push(client);
    let id = 0;
    return async (method, params = {}) => {
      const line = await client.ask(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }));
      const { error, result } = JSON.parse(line!);
      return error ?? result;
    };
  }

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    daemon = await DaemonHere.start(join(nodes.directory, 'ours'), [
      ...['--graph', 'synthetic:60', '--seed', '7', '--no-http'],
    ]);
    let label = 0;
    const c = (await nodes.call('c', 'getinfo')).id;
    theirs = {
      ask: asker(nodes.socketPath('a')),
      payee: c,
      ownId: (await nodes.call('a', 'getinfo')).id,
      async invoice(amount_msat) {
        const terms = { amount_msat, label: `l${++label}`, description: 'tea', cltv: 18 };
        return nodes.call('c', 'invoice', terms);
      },
    };
    const ask = asker(join(nodes.directory, 'ours', 'fulgurite-rpc'));
    const peers = new Set((await ask('listpeerchannels')).channels.map((one: Json) => one.peer_id));
    const ownId = (await ask('getinfo')).id;
    let payee = '';
    for (const { nodeid } of (await ask('listnodes')).nodes) {
      if (peers.has(nodeid) || nodeid === ownId) continue;
      const found = await ask('getroute', { id: nodeid, amount_msat: 100_000, riskfactor: 1, cltv: 20 });
      if (found.route?.length >= 2) payee = nodeid;
      if (payee !== '') break;
    }
    ours = {
      ...{ ask, payee, ownId },
      async invoice(amount_msat) {
        const { bolt11 } = await ask('simulatedinvoice', { id: payee, amount_msat });
        const { payment_hash, payment_secret } = await ask('decode', { string: bolt11 });
        return { bolt11, payment_hash, payment_secret };
      },
    };
  }, 300_000);
  afterAll(async () => {
    for (const { socket } of clients) socket.destroy();
    await daemon?.stop();
    await nodes?.stop();
  }, 120_000);

  describe('answer alike', () => {
    test.each(STEPS)('%s', { timeout: 120_000 }, async (_name, step) => {
      const [node, we] = [await step(theirs), await step(ours)];
      expect(we).toEqual(node);
    });
  });
});
