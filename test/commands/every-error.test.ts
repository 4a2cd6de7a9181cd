/**
 * Every error that a command lists can occur. For each pair of command and error, a row here provokes the
 * error, or a table names the test that does, or explains why no test provokes it and where the error is
 * tested instead. A listed pair without a row fails the test, and so does a row whose pair is not listed.
 * That commands return no unlisted errors is checked in every test, for every answer (listed-errors.ts).
 *
 *     us ── L2 ── L3 ── L4
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { encodeOffer, formatOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import {
  type Binding,
  NoRouteError,
  SearchFailed,
  type SearchFault,
} from '../../src/engine/question/no-route.ts';
import { ERRORS, type ErrorName } from '../../src/model/errors.ts';
import { type NodeId, nodeIdToBytes } from '../../src/model/node-id.ts';
import { RuneBook } from '../../src/runes/rune-book.ts';
import { L2, L4 } from '../payments/line-graph.ts';
import { OWN_ID } from '../payments/simulation/simulated-node.ts';
import { PaymentNode } from './payment-node.ts';

/** The generator of secp256k1 as a node id. No node of the line has it. */
const NOBODY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
/** Exceeds the capacity of every channel of the line. */
const TOO_MUCH = 2_000_000_000_000;
/** More than can reach L4, and less than we have. */
const TOO_MUCH_FOR_L4 = 2_500_000_000;

/** The error with which the next search ends. */
let fault: Error | undefined;
/** The HTTP service, with the address of the explorer's page. */
let httpServer: { pageUrl: string | undefined } | undefined = { pageUrl: 'http://127.0.0.1:3010/ui/' };
let node: PaymentNode;
let ids: { offer: string; invreq: string; recurring: string; rune: string };

beforeAll(async () => {
  node = new PaymentNode({
    breakRoutes: () => {
      if (fault !== undefined) throw fault;
    },
  });
  await node.start();
  await node.result('askrene-create-layer', { layer: 'mine', persistent: true });
  await node.result('askrene-create-layer', { layer: 'shut' });
  await node.result('askrene-disable-node', { layer: 'shut', node: L2 });
  const { offer_id } = await node.result('offer', { amount: 'any', description: 'ours' });
  const { invreq_id } = await node.result('invoicerequest', { amount: 1000, description: 'ours' });
  const { runes: repository } = node.node.store;
  const runes = await RuneBook.open({ secret: new Uint8Array(32).fill(7), repository, clock: node.node });
  Object.assign(node.context, { runes, httpServer: () => httpServer });
  const { rune } = await node.result('createrune');
  await node.result('blacklistrune', { start: 0 });
  const recurring = node.issuers.offers.find(({ kind }) => kind === 'recurring')!;
  ids = { offer: offer_id, invreq: invreq_id, recurring: formatOffer(recurring.offer), rune };
});
afterAll(() => node?.stop());

type Params = object | (() => Promise<object> | object);
type Row = readonly [method: string, params: Params, error: ErrorName];

const invoice = async (amount_msat: number, id = L4): Promise<string> =>
  (await node.result('simulatedinvoice', { id, amount_msat })).bolt11;
const limits = { source: OWN_ID, layers: ['auto.localchans'], maxfee_msat: 1000, final_cltv: 18 };
const payment = { destination: L4, amount_msat: 1000 };
const route = { ...limits, ...payment };
const direction = { layer: 'mine', short_channel_id_dir: '104x1x0/0' };
const BELIEF = { ...direction, minimum_msat: 1, maximum_msat: 2, timestamp: 1 };

/** For each command that searches a route: a request that does so. */
const SEARCHES: Readonly<Record<string, (to: string, amountMsat: number) => Params>> = {
  getroutes: (destination, amount_msat) => ({ ...route, destination, amount_msat, maxfee_msat: amount_msat }),
  getroute: (id, amount_msat) => ({ id, amount_msat, riskfactor: 1 }),
  'askrene-difflayers': (destination, amount_msat) => ({
    ...route,
    layers: ['auto.localchans', 'mine'],
    destination,
    amount_msat,
    maxfee_msat: amount_msat,
  }),
  plankeysend: (destination, amount_msat) => ({ destination, amount_msat }),
  planxpay: (id, amount) => async () => ({ invstring: await invoice(amount, id as never), retry_for: 0 }),
  keysend: (destination, amount_msat) => ({ destination, amount_msat, retry_for: 0 }),
  xkeysend: (destination, amount_msat) => ({ destination, amount_msat, retry_for: 0 }),
  pay: (id, amount) => async () => ({ bolt11: await invoice(amount, id as never), retry_for: 0 }),
  xpay: (id, amount) => async () => ({ invstring: await invoice(amount, id as never), retry_for: 0 }),
};
/** Command that returns a result, and not an error, if a layer leaves no route. */
const SHOWS = 'askrene-difflayers';
/** Commands that give fewer details about missing capacity. */
const OLDER: readonly string[] = ['plankeysend', 'keysend', 'pay', 'getroute'];

const searches = (to: string, amountMsat: number, error: ErrorName, but: readonly string[] = []): Row[] =>
  Object.entries(SEARCHES)
    .filter(([method]) => method !== SHOWS && !but.includes(method))
    .map(([method, paramsFor]) => [method, paramsFor(to, amountMsat), error]);

/** Refusals caused by the graph and its channels. */
const REFUSED: readonly Row[] = [
  ['importmissioncontrol', {}, 'notSupported'],
  ['importnodehistory', {}, 'notSupported'],
  ['exportmissioncontrol', {}, 'notSupported'],
  ...searches(L4, TOO_MUCH, 'sourceCapacity', OLDER),
  ...searches(L4, TOO_MUCH_FOR_L4, 'destinationCapacity', OLDER),
  ...searches(L4, TOO_MUCH, 'routeNotFound', ['getroutes', 'planxpay', 'xkeysend', 'xpay']),
  ['getroute', { id: NOBODY, amount_msat: 1000, riskfactor: 1 }, 'routeNotFound'],
  ['getroutes', { ...route, destination: NOBODY }, 'routeNotFound'],
  ['planxpay', async () => ({ invstring: await invoice(1000), layers: ['shut'] }), 'routeNotFound'],
  ['xpay', async () => ({ invstring: await invoice(1000), layers: ['shut'], retry_for: 0 }), 'routeNotFound'],
  ['xkeysend', { ...payment, destination: NOBODY }, 'routeNotFound'],
  ['getroutes', { ...route, maxfee_msat: 0 }, 'routeTooExpensive'],
  ['askrene-difflayers', { ...route, maxdelay: 2017 }, 'maxdelayTooLarge'],
  ['planxpay', async () => ({ invstring: await invoice(1000), maxfee: 0 }), 'routeTooExpensive'],
  ['pay', async () => ({ bolt11: await invoice(1000), maxfee: 0 }), 'routeTooExpensive'],
];

it.each(REFUSED)('%s: %s', async (method, params, name) => {
  await provoke(method, params, name);
});

const FAULTS: readonly (readonly [ErrorName, Error])[] = [
  ['timedOut', new SearchFailed({ kind: 'late' } satisfies SearchFault)],
  ['workerDied', new SearchFailed({ kind: 'workerDied', cause: 'gone' } satisfies SearchFault)],
  ['undecided', new NoRouteError({ binding: { kind: 'effort' } as Binding })],
];

it.each(FAULTS)('a search that ends with %s', async (name, error) => {
  const methods = Object.keys(SEARCHES).filter((method) => method !== SHOWS || error instanceof SearchFailed);
  for (const method of methods) {
    const params = await madeOf(SEARCHES[method]!(L4, 1000));
    fault = error;
    try {
      await provoke(method, params, name);
    } finally {
      fault = undefined;
    }
  }
});

/** Changes that are acknowledged only once they are on disk. */
const STORED: Readonly<Record<string, Params>> = {
  'askrene-bias-channel': { ...direction, bias: 5 },
  'askrene-bias-node': { layer: 'mine', node: L2, direction: 'out', bias: 5 },
  'askrene-create-channel': {
    layer: 'mine',
    source: L2,
    destination: L4,
    short_channel_id: '1x2x3',
    capacity_msat: 1_000_000,
  },
  'askrene-disable-node': { layer: 'mine', node: L2 },
  'askrene-inform-channel': { ...direction, amount_msat: 1000, inform: 'unconstrained' },
  'askrene-age': { layer: 'mine', cutoff: 4_000_000_000 },
  'askrene-update-channel': { ...direction, enabled: true },
  'askrene-remove-channel-update': direction,
  importbeliefs: { layer: 'mine', chain: 'bitcoin', beliefs: [BELIEF] },
  'askrene-create-layer': { layer: 'another', persistent: true },
  keysend: payment,
  pay: async () => ({ bolt11: await invoice(1000) }),
  createrune: {},
  explorer: {},
  blacklistrune: { start: 5 },
  destroyrune: { start: 6 },
  offer: { amount: 'any', description: 'another' },
  invoicerequest: { amount: 1000, description: 'another' },
  disableoffer: () => ({ offer_id: ids.offer }),
  disableinvoicerequest: () => ({ invreq_id: ids.invreq }),
  delpay: async () => {
    const { payment_hash } = await node.result('keysend', payment);
    return { payment_hash, status: 'complete' };
  },
  fetchinvoice: () => ({ offer: ids.recurring, recurrence_counter: 0, recurrence_label: 'news' }),
  'askrene-remove-layer': { layer: 'mine' },
};

it('a change that cannot be written to disk', async () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  for (const [method, made] of Object.entries(STORED)) {
    const params = await madeOf(made);
    await node.node.store.committer.durable();
    const disk = vi.spyOn(node.node.store.database, 'transaction').mockImplementation(() => {
      throw full;
    });
    try {
      await provoke(method, params, 'storeFailed');
    } finally {
      disk.mockRestore();
    }
  }
});

/** Requests that fail on a network without any optional capability. */
const UNABLE: Readonly<Record<string, Params>> = {
  keysend: payment,
  xkeysend: payment,
  plankeysend: payment,
  pay: async () => ({ bolt11: await invoice(1000) }),
  xpay: async () => ({ invstring: await invoice(1000) }),
  planxpay: async () => ({ invstring: await invoice(1000) }),
  check: { command_to_check: 'keysend', ...payment },
  disconnect: { id: L2 },
  fetchinvoice: () => ({ offer: ids.recurring, recurrence_counter: 0, recurrence_label: 'news' }),
  cancelrecurringinvoice: () => ({ offer: ids.recurring, recurrence_counter: 1, recurrence_label: 'news' }),
};

it('a network without capabilities', async () => {
  for (const [method, made] of Object.entries(UNABLE)) {
    const params = await madeOf(made);
    const { capabilities } = node.node.port;
    const none = {
      pays: false,
      repeatsSends: false,
      onionMessages: false,
      connects: false,
      disconnects: false,
    };
    Object.defineProperty(node.node.port, 'capabilities', { value: none, configurable: true });
    try {
      await provoke(method, params, 'notSupported');
    } finally {
      Object.defineProperty(node.node.port, 'capabilities', { value: capabilities, configurable: true });
    }
  }
});

it.each<Row>([
  ['connect', { id: NOBODY }, 'unspecified'],
  ['checkrune', () => ({ rune: ids.rune }), 'runeBlacklisted'],
  [
    'checkrune',
    { rune: 'HFxTiZ8XulmRJOlgq0BizdwId0VANQviVXVCJAemtFU9MSZtZXRob2Q9Z2V0aW5mbw==' },
    'notAuthorized',
  ],
])('%s: %#', async (method, params, name) => {
  await provoke(method, params, name);
});

it('an invoice that has expired', async () => {
  const invstring = (await node.result('simulatedinvoice', { id: L4, amount_msat: 1000, expiry: 10 })).bolt11;
  node.node.after(11_000, () => undefined);
  await expect.poll(() => node.node.timersSet, { timeout: 30_000 }).toBe(0);
  await provoke('pay', { bolt11: invstring }, 'invoiceExpired');
  await provoke('planxpay', { invstring }, 'invoiceExpired');
});

it('offers for which no invoice arrives', async () => {
  const offer = (kind: string) => formatOffer(node.issuers.offers.find((one) => one.kind === kind)!.offer);
  const offerIssuerId = nodeIdToBytes(NOBODY as NodeId);
  const unreachable = { bytes: encodeOffer({ offerDescription: 'nobody sells', offerIssuerId }) };
  const invstring = formatOffer(unreachable);
  await provoke('xpay', { invstring: offer('expired') }, 'offerExpired');
  await provoke('xpay', { invstring: offer('silent'), amount_msat: 1000 }, 'offerTimedOut');
  await provoke('xpay', { invstring, amount_msat: 1000 }, 'offerUnreachable');
});

it('no explorer page, or no HTTP at all', async () => {
  httpServer = { pageUrl: undefined };
  await provoke('explorer', {}, 'unspecified');
  expect((await node.error('explorer')).message).toContain('was not built');
  httpServer = undefined;
  expect((await node.error('explorer')).message).toContain('HTTP, which is disabled');
});

it('no simulated network', async () => {
  Object.assign(node.context, { simulatedInvoice: undefined });
  await provoke('simulatedinvoice', { id: L4 }, 'notSupported');
});

/**
 * Errors that need more than this node, such as a daemon, a peer, a node that fails on purpose, or time:
 * pairs by the test that provokes them.
 */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'cli/none-network.test.ts': ['connect notSupported'],
  'cli/store-option.test.ts': ['backup notSupported'],
  'commands/offers/fetchinvoice-daemon.test.ts': [
    'fetchinvoice offerExpired',
    'fetchinvoice offerUnreachable',
    'fetchinvoice issuerError',
    'fetchinvoice offerTimedOut',
    'fetchinvoice unspecified',
  ],
  'commands/offers/fetchinvoice.test.ts': ['check offerExpired'],
  'commands/offers/static-invoices.test.ts': [
    ...['fetchinvoice staticInvoice', 'xpay staticInvoice', 'pay staticInvoice'],
    'xpay recipientOffline',
    ...['planxpay staticInvoice', 'quote staticInvoice', 'check staticInvoice'],
  ],
  'commands/books/getpayment.test.ts': ['xkeysend paymentFailed'],
  'commands/caller-routes/given-route.test.ts': [
    ...['sendpay routeFailed', 'sendpay waitTimedOut', 'sendpay hashUsed', 'sendpay storeFailed'],
    ...[
      'sendonion routeFailed',
      'sendonion notSupported',
      'sendpay notSupported',
      'listforwards notSupported',
    ],
  ],
  'commands/keysend/keysend-errors.test.ts': ['keysend recipientRefused', 'xkeysend recipientRefused'],
  'commands/keysend/keysend-rules.test.ts': ['keysend unspecified', 'waitsendpay unreadableFailure'],
  'commands/keysend/keysend.test.ts': [
    'delpay noSuchPayment',
    'delpay paymentStatusUnexpected',
    'waitsendpay routeFailed',
    'waitsendpay noSuchPayment',
  ],
  'commands/books/listed-errors.test.ts': [
    'check maxdelayTooLarge',
    'disableinvoicerequest unspecified',
    'disableoffer unspecified',
    'getroutes maxdelayTooLarge',
    'getroutes-batch maxdelayTooLarge',
    'keysend routeTooExpensive',
    'pay waitTimedOut',
    'plankeysend routeTooExpensive',
    'planxpay maxdelayTooLarge',
    'xkeysend routeTooExpensive',
    'xkeysend maxdelayTooLarge',
    'xpay maxdelayTooLarge',
    'xpay alreadyPaid',
    'xpay waitTimedOut',
  ],
  'commands/offers/offer.test.ts': [
    'disableinvoicerequest offerNotActive',
    'disableoffer offerNotActive',
    'offer offerExists',
  ],
  'commands/offers/own-invoices.test.ts': [
    ...['invoice notSupported', 'invoice invoiceLabelExists', 'invoice invoicePreimageExists'],
    ...['waitinvoice notSupported', 'waitinvoice unspecified', 'waitinvoice invoiceExpiredDuringWait'],
    ...['waitanyinvoice notSupported', 'waitanyinvoice invoiceWaitTimedOut'],
    ...['delinvoice notSupported', 'delinvoice invoiceNotFound', 'delinvoice invoiceStatusUnexpected'],
    ...['delinvoice invoiceNoDescription', 'simulatepayer notSupported', 'simulatepayer routeNotFound'],
  ],
  'network/lnd/lnd-daemon.test.ts': ['offer notSupported'],
  'names/pay-by-name.test.ts': [
    'fetchbip353 notSupported',
    'fetchbip353 nameUnresolved',
    'xpay nameUnresolved',
  ],
  'commands/books/payment-parts.test.ts': ['waitsendpay waitTimedOut', 'waitsendpay recipientRefused'],
  'commands/network/peer-commands.test.ts': [
    'connect noAddress',
    'connect connectFailed',
    'connect disconnected',
    'disconnect unspecified',
  ],
  'commands/network/several-nodes.test.ts': [
    'plantransfer maxdelayTooLarge',
    'plantransfer routeTooExpensive',
    'plantransfer sourceCapacity',
    'setournode storeFailed',
    'transfer maxdelayTooLarge',
    'transfer routeTooExpensive',
    'transfer sourceCapacity',
  ],
  'commands/quotes.test.ts': [
    'quote routeTooExpensive',
    'quote sourceCapacity',
    'delquote quoteUnusable',
    'xkeysend quoteUnusable',
    'xpay quoteUnusable',
  ],
  'commands/learned.test.ts': ['exportlearned notSupported', 'importlearned notSupported'],
  'commands/webhooks.test.ts': ['addwebhook busy'],
  'commands/xpay-requests.test.ts': [
    'check invoiceRequestUnusable',
    'check routeNotFound',
    'planxpay invoiceRequestUnusable',
    'pay invoiceRequestUnusable',
    'xpay paymentFailed',
    'xpay invoiceRequestUnusable',
  ],
  'commands/xpay.test.ts': [
    'check invoiceExpired',
    'createproof nothingToProve',
    'xpay routeTooExpensive',
    'xpay issuerError',
    'xpay invoiceExpired',
  ],
};

/** Errors that no test provokes at their command, by reason. */
const UNMET: Readonly<Record<string, readonly string[]>> = {
  'only a Core Lightning node declines or is away: commands/payment-failure.test.ts tests the texts, and cli/beside-node.test.ts tests keysend as a whole':
    [
      'keysend nodeAway',
      'keysend declined',
      'pay nodeAway',
      'pay declined',
      'xkeysend nodeAway',
      'xkeysend declined',
      'xpay nodeAway',
      'xpay declined',
      'connect nodeAway',
      'disconnect nodeAway',
      ...['invoice nodeAway', 'invoice unspecified', 'delinvoice nodeAway', 'delinvoice unspecified'],
    ],
  'an LND node is needed: network/lnd/lnd-mission-control.test.ts tests its answers': [
    ...['importmissioncontrol nodeAway', 'importmissioncontrol unspecified'],
    ...['importnodehistory nodeAway', 'importnodehistory unspecified'],
    ...['exportmissioncontrol nodeAway', 'exportmissioncontrol unspecified'],
  ],
  'a node behind us is needed: cli/beside-node.test.ts tests keysend instead': [
    ...['sendpay nodeAway', 'sendonion nodeAway', 'listforwards nodeAway'],
  ],
  'sendonion follows the rules of sendpay, which commands/caller-routes/given-route.test.ts tests instead': [
    ...['sendonion storeFailed', 'sendonion waitTimedOut', 'sendonion hashUsed'],
  ],
  'a million invoices are needed': ['invoice busy'],
  'the attempt that cannot be written has failed, so the payment ends with 209; keysend and pay report the cause itself':
    ['xkeysend storeFailed', 'xpay storeFailed'],
  'a daemon with a full disk is needed: store/database.test.ts tests the store itself': [
    'backup storeFailed',
    'setconfig storeFailed',
    ...['invoice storeFailed', 'delinvoice storeFailed', 'simulatepayer storeFailed'],
  ],
  'here the simulated network runs in this thread: network/simulated/worker.test.ts tests the end of a separate thread':
    ['simulatedinvoice timedOut', 'simulatedinvoice workerDied', 'simulatepayer workerDied'],
  'all commands report failed fetches in the same way: commands/offers/fetchinvoice-daemon.test.ts and offers/delivery.test.ts test fetchinvoice instead':
    [
      'cancelrecurringinvoice offerUnreachable',
      'cancelrecurringinvoice offerTimedOut',
      'cancelrecurringinvoice unspecified',
      'cancelrecurringinvoice workerDied',
      'fetchinvoice workerDied',
    ],
  'a transfer is a payment of an invoice: this file and commands/xpay.test.ts test xpay instead': [
    ...['routeNotFound', 'timedOut', 'undecided', 'destinationCapacity', 'workerDied'].flatMap((error) => [
      `transfer ${error}`,
      `plantransfer ${error}`,
    ]),
    ...['notSupported', 'nodeAway', 'unspecified'].flatMap((error) => [
      `transfer ${error}`,
      `plantransfer ${error}`,
    ]),
    ...['storeFailed', 'recipientRefused', 'declined', 'paymentFailed'].map((error) => `transfer ${error}`),
    ...['invoiceExpired', 'invoiceRequestUnusable'].map((error) => `transfer ${error}`),
  ],
  'a rebalancing consists of payments to ourselves: commands/keysend/keysend-errors.test.ts tests keysend instead':
    [
      ...['notSupported', 'nodeAway', 'unspecified', 'workerDied'].flatMap((error) => [
        `planrebalance ${error}`,
        `rebalance ${error}`,
      ]),
      'rebalance storeFailed',
    ],
  'a quote plans a payment, and fails as the plan does: this file and commands/xpay.test.ts test planxpay instead':
    [
      ...['routeNotFound', 'timedOut', 'undecided', 'destinationCapacity', 'maxdelayTooLarge', 'workerDied'],
      ...['invoiceExpired', 'invoiceRequestUnusable', 'notSupported', 'nodeAway', 'unspecified'],
    ].map((error) => `quote ${error}`),
  'a daemon with a full disk is needed: store/conformance.test.ts tests the store of records': [
    'addwebhook storeFailed',
    'delwebhook storeFailed',
    'quote storeFailed',
    'delquote storeFailed',
  ],
  'payments of all commands are refused and stopped in the same way: commands/keysend/keysend-rules.test.ts and commands/keysend/keysend-errors.test.ts test keysend instead':
    [
      'pay unspecified',
      'xkeysend unspecified',
      'xpay unspecified',
      'pay recipientRefused',
      'xpay recipientRefused',
    ],
  'an attempt that could not be written is reported like its payment: commands/caller-routes/given-route.test.ts tests sendpay instead':
    ['waitsendpay storeFailed'],
};

it('every other listed error is provoked by the test named for it, and no error is named twice', () => {
  const listed = COMMANDS.flatMap(({ name, errors = [] }) => errors.map((error) => `${name} ${error}`));
  const rows = Object.values(ELSEWHERE).flat();
  const unmet = Object.values(UNMET).flat();
  expect(listed.filter((pair) => !met.has(pair) && ![...rows, ...unmet].includes(pair))).toEqual([]);
  expect([...met, ...rows, ...unmet].filter((pair) => !listed.includes(pair))).toEqual([]);
  expect([...rows, ...unmet].filter((pair, at, all) => met.has(pair) || all.indexOf(pair) !== at)).toEqual(
    [],
  );
  for (const reason of Object.keys(UNMET)) {
    const files = reason.match(/\S+\.test\.ts/g) ?? [];
    expect(files.filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([]);
  }
  for (const [file, pairs] of Object.entries(ELSEWHERE)) {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    for (const pair of pairs) {
      const [method, error] = pair.split(' ') as [string, ErrorName];
      const code = new RegExp(`\\b${error}\\b|(?<![\\d.])${ERRORS[error].code}\\b`);
      expect([file, pair, text.includes(method), code.test(text)]).toEqual([file, pair, true, true]);
    }
  }
});

async function madeOf(params: Params): Promise<object> {
  return typeof params === 'function' ? await params() : params;
}

const met = new Set<string>();

async function provoke(method: string, params: Params, name: ErrorName): Promise<void> {
  const error = await node.error(method, await madeOf(params));
  expect([method, name, error?.code, error?.message]).toEqual([
    method,
    name,
    ERRORS[name].code,
    error?.message,
  ]);
  met.add(`${method} ${name}`);
}
