/**
 * At least one call of each command on the simulated network, in an order in which each call finds what it needs. The
 * API description shows the calls with the results of a node (`npm run build:examples`), and a test repeats them.
 */

/** Returns the result of the latest call of a command. */
// biome-ignore lint/suspicious/noExplicitAny: each result has a shape of its own, which a test checks
export type Seen = (command: string) => any;

/** A call: a command, and its parameters, which may depend on earlier results. */
export interface ExampleCall {
  readonly command: string;
  readonly params: (seen: Seen, directory: string) => Readonly<Record<string, unknown>>;
  /** Set if the call cannot succeed on the simulated network. The example then shows the error. */
  readonly fails?: true;
}

const peer = (seen: Seen, n = 0): string => seen('listpeerchannels').channels[n].peer_id;
const direction = (seen: Seen): string => {
  const [{ short_channel_id, direction: side }] = seen('listchannels').channels;
  return `${short_channel_id}/${side}`;
};
const simulatedOffer = (seen: Seen, kind: string): string =>
  seen('listsimulatedoffers').offers.find((one: { kind: string }) => one.kind === kind).bolt12;

const about = (command: string, params: ExampleCall['params'] = () => ({})): ExampleCall => ({
  command,
  params,
});

const LAYER = 'mine';
/** Payment hashes without an invoice, so that the recipient refuses payments with them. */
const [UNKNOWN_HASH, OTHER_HASH] = ['5b'.repeat(32), '5c'.repeat(32)];

const NETWORK: readonly ExampleCall[] = [
  about('getinfo'),
  about('help', () => ({ command: 'keysend' })),
  about('listnodes'),
  about('listchannels'),
  about('listpeerchannels'),
  about('listpeers'),
  about('listfunds'),
  about('listforwards'),
  about('connect', (seen) => ({ id: peer(seen) })),
  { ...about('disconnect', (seen) => ({ id: peer(seen) })), fails: true },
  about('getroutes', (seen) => ({
    source: seen('getinfo').id,
    destination: peer(seen),
    amount_msat: '1000sat',
    layers: ['auto.localchans', 'auto.sourcefree'],
    maxfee_msat: '5sat',
    final_cltv: 18,
    pareto: true,
  })),
  about('getroutes-batch', (seen) => ({
    source: seen('getinfo').id,
    requests: [{ destination: peer(seen), amount_msat: '1000sat' }],
    layers: ['auto.localchans', 'auto.sourcefree'],
    maxfee_msat: '5sat',
  })),
  about('askrene-score', (seen) => ({
    path: [direction(seen)],
    amount_msat: '1000sat',
    layers: [],
  })),
];

const LAYERS: readonly ExampleCall[] = [
  about('askrene-create-layer', () => ({ layer: LAYER })),
  about('askrene-create-channel', (seen) => ({
    layer: LAYER,
    source: seen('getinfo').id,
    destination: peer(seen),
    short_channel_id: '1x2x3',
    capacity_msat: '100000sat',
  })),
  about('askrene-update-channel', (seen) => ({
    layer: LAYER,
    short_channel_id_dir: direction(seen),
    enabled: true,
    htlc_maximum_msat: '50000sat',
  })),
  about('askrene-inform-channel', (seen) => ({
    layer: LAYER,
    short_channel_id_dir: direction(seen),
    amount_msat: '20000sat',
    inform: 'constrained',
  })),
  about('askrene-bias-channel', (seen) => ({
    layer: LAYER,
    short_channel_id_dir: direction(seen),
    bias: -5,
  })),
  about('askrene-bias-node', (seen) => ({ layer: LAYER, node: peer(seen), direction: 'out', bias: 10 })),
  about('askrene-disable-node', (seen) => ({ layer: LAYER, node: peer(seen, 1) })),
  about('askrene-listlayers', () => ({ layer: LAYER })),
  about('listlayers'),
  about('listbeliefs', () => ({ layer: LAYER })),
  about('importbeliefs', (seen) => ({
    layer: LAYER,
    chain: 'bitcoin',
    beliefs: [
      {
        short_channel_id_dir: direction(seen),
        minimum_msat: 0,
        maximum_msat: 15_000_000,
        timestamp: 1_700_000_000,
      },
    ],
  })),
  { ...about('importmissioncontrol'), fails: true },
  { ...about('importnodehistory'), fails: true },
  { ...about('exportmissioncontrol', () => ({ dry_run: true })), fails: true },
  about('askrene-difflayers', (seen) => ({
    source: seen('getinfo').id,
    destination: peer(seen),
    amount_msat: '1000sat',
    layers: ['auto.localchans'],
    maxfee_msat: '5sat',
    final_cltv: 18,
    with: LAYER,
  })),
  about('askrene-reserve', (seen) => ({
    path: [{ short_channel_id_dir: direction(seen), amount_msat: '1000sat' }],
  })),
  about('askrene-listreservations'),
  about('askrene-unreserve', (seen) => ({
    path: [{ short_channel_id_dir: direction(seen), amount_msat: '1000sat' }],
  })),
  about('askrene-remove-channel-update', (seen) => ({ layer: LAYER, short_channel_id_dir: direction(seen) })),
  about('askrene-age', () => ({ layer: LAYER, cutoff: 1_700_000_000 })),
  about('askrene-remove-layer', () => ({ layer: LAYER })),
];

const PAYMENTS: readonly ExampleCall[] = [
  about('plankeysend', (seen) => ({ destination: peer(seen), amount_msat: '1000sat' })),
  about('keysend', (seen) => ({ destination: peer(seen), amount_msat: '1000sat', label: 'tea' })),
  about('xkeysend', (seen) => ({ destination: peer(seen), amount_msat: '1000sat' })),
  about('waitsendpay', (seen) => ({ payment_hash: seen('keysend').payment_hash })),
  about('simulatedinvoice', (seen) => ({ id: peer(seen), amount_msat: '2000sat', description: 'cake' })),
  about('planxpay', (seen) => ({ invstring: seen('simulatedinvoice').bolt11 })),
  about('exportlearned', () => ({})),
  about('importlearned', (seen) => ({ learned: seen('exportlearned'), dry_run: true })),
  about('planrebalance', () => ({ maxfee: '100sat', maxfee_ppm: 1000 })),
  about('rebalance', () => ({ maxfee: '100sat', amount_msat: '100000sat', maxfee_ppm: 1000 })),
  about('addwebhook', () => ({ url: 'https://hooks.example/payments' })),
  about('listwebhooks', () => ({})),
  about('delwebhook', (seen) => ({ webhook_id: seen('addwebhook').webhook_id })),
  about('quote', (seen) => ({ invstring: peer(seen), amount_msat: '1000sat', expires_in: 3600 })),
  about('listquotes', (seen) => ({ quote_id: seen('quote').quote_id })),
  about('delquote', (seen) => ({ quote_id: seen('quote').quote_id })),
  about('xpay', (seen) => ({ invstring: seen('simulatedinvoice').bolt11 })),
  about('getroute', (seen) => ({ id: peer(seen), amount_msat: '1000sat', riskfactor: 1 })),
  about('sendpay', (seen) => ({ route: seen('getroute').route, payment_hash: UNKNOWN_HASH })),
  about('createonion', (seen) => ({
    hops: [{ pubkey: peer(seen), payload: '0a0203989680040365d1aa' }],
    assocdata: UNKNOWN_HASH,
  })),
  about('sendonion', (seen) => ({
    onion: seen('createonion').onion,
    first_hop: seen('getroute').route[0],
    payment_hash: OTHER_HASH,
    shared_secrets: seen('createonion').shared_secrets,
  })),
  about('createproof', (seen) => ({ invstring: seen('simulatedinvoice').bolt11 })),
  about('checkproof', (seen) => ({
    proof: seen('createproof').proofs[0].bolt11,
    payment_preimage: seen('createproof').proofs[0].payment_preimage,
  })),
  about('simulatedinvoice', (seen) => ({ id: peer(seen), amount_msat: '3000sat' })),
  about('pay', (seen) => ({ bolt11: seen('simulatedinvoice').bolt11 })),
  about('listpays', (seen) => ({ payment_hash: seen('keysend').payment_hash })),
  about('listsendpays', (seen) => ({ payment_hash: seen('keysend').payment_hash })),
  about('listpayments', () => ({ start: 1, limit: 1 })),
  about('getpayment', (seen) => ({ payment_hash: seen('keysend').payment_hash })),
  about('paystatus', (seen) => ({ bolt11: seen('simulatedinvoice').bolt11 })),
  about('listlearned'),
  about('ledger', () => ({ limit: 1 })),
  about('reconcile', () => ({ csv: 'key,amount_msat\nunknown,1000\n' })),
  about('listodds'),
  about('listprobes'),
  about('delpay', (seen) => ({ payment_hash: seen('keysend').payment_hash, status: 'complete' })),
];

const OFFERS: readonly ExampleCall[] = [
  about('offer', () => ({ amount: '10sat', description: 'coffee', label: 'morning' })),
  about('listoffers'),
  about('disableoffer', (seen) => ({ offer_id: seen('offer').offer_id })),
  about('invoicerequest', () => ({ amount: '5sat', description: 'refund', label: 'back' })),
  about('listinvoicerequests'),
  about('disableinvoicerequest', (seen) => ({ invreq_id: seen('invoicerequest').invreq_id })),
  about('listinvoices'),
  about('invoice', () => ({ amount_msat: '100sat', label: 'order 1', description: 'one cup' })),
  about('simulatepayer', (seen) => ({ invoice: seen('invoice').bolt11, id: peer(seen) })),
  about('waitinvoice', () => ({ label: 'order 1' })),
  about('waitanyinvoice', () => ({ lastpay_index: 0, timeout: 10 })),
  about('delinvoice', () => ({ label: 'order 1', status: 'paid' })),
  about('listsimulatedoffers'),
  { ...about('fetchbip353', () => ({ address: 'tea@shop.example' })), fails: true },
  about('decode', (seen) => ({ string: simulatedOffer(seen, 'fixed') })),
  about('decodepay', (seen) => ({ bolt11: seen('invoice').bolt11 })),
  about('fetchinvoice', (seen) => ({ offer: simulatedOffer(seen, 'fixed') })),
  about('fetchinvoice', (seen) => ({
    offer: simulatedOffer(seen, 'recurring'),
    recurrence_counter: 0,
    recurrence_label: 'weekly',
  })),
  about('cancelrecurringinvoice', (seen) => ({
    offer: simulatedOffer(seen, 'recurring'),
    recurrence_counter: 1,
    recurrence_label: 'weekly',
  })),
  about('listfetches'),
];

const UTILITY: readonly ExampleCall[] = [
  about('check', (seen) => ({ command_to_check: 'keysend', destination: peer(seen), amount_msat: 1000 })),
  about('createrune', () => ({ restrictions: [['method=keysend', 'method^list'], ['rate=60']] })),
  about('checkrune', (seen) => ({ rune: seen('createrune').rune, method: 'listpays' })),
  about('showrunes', (seen) => ({ rune: seen('createrune').rune })),
  about('invokerune', () => ({ restrictions: 'readonly' })),
  about('blacklistrune', () => ({ start: 0 })),
  about('destroyrune', () => ({ start: 1, end: 5 })),
  about('listconfigs', () => ({ config: 'askrene-timeout' })),
  about('setconfig', () => ({ config: 'askrene-timeout', val: '15', transient: true })),
  about('getlog', () => ({ level: 'info' })),
  about('getmetrics'),
  about('explorer'),
  about('notifications', () => ({ enable: true })),
  about('batching', () => ({ enable: false })),
  about('deprecations', () => ({ enable: true })),
  about('rpc.discover'),
  about('backup', (_seen, directory) => ({ destination: `${directory}/backup` })),
  about('stop'),
];

/** All calls to a daemon with several nodes, in order. */
export const SEVERAL_NODES_CALLS: readonly ExampleCall[] = [
  about('listournodes'),
  about('setournode', () => ({ node: 'b', floor: '1000000sat', price: 100 })),
  about('plantransfer', () => ({ from: 'a', to: 'b', amount_msat: '20000sat' })),
  about('transfer', () => ({ from: 'a', to: 'b', amount_msat: '20000sat' })),
];

/** All calls to a daemon with one node, in order. The last one stops it. */
export const EXAMPLE_CALLS: readonly ExampleCall[] = [
  ...NETWORK,
  ...LAYERS,
  ...PAYMENTS,
  ...OFFERS,
  ...UTILITY,
];
