/**
 * One scenario for LND and for its stand-in: the same calls must get the same answers. A call is compared by
 * its error, or by the values of its answer that the scenario determines.
 *
 *     asker ── node ── next ── recipient        the node has one channel to `next`
 *
 * The recipient accepts keysends, and has an invoice of 20,000 msat that may be paid in parts. Ids, times,
 * heights and hashes differ between two networks; `masked` replaces them.
 */
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import { KEYSEND_PREIMAGE_TYPE } from '../../src/bolt/onion/payload.ts';
import { type LndCalls, LndError, STATUS } from '../../src/network/lnd/client/calls.ts';
import type { LndMethod } from '../../src/network/lnd/graph/schema.ts';

/** The network around the node. */
export interface ScenarioNetwork {
  readonly calls: LndCalls;
  /** Calls with an invalid macaroon. */
  readonly wrong: LndCalls;
  /** Calls with a macaroon that permits only GetInfo. */
  readonly narrow: LndCalls;
  /**
   * The node's peer, the channel to it, the node behind that peer, and the channel between those two. Ids as LND
   * writes them.
   */
  readonly next: string;
  readonly ours: string;
  readonly recipient: string;
  readonly beyond: string;
  /** The fee of `next` for forwarding, and its CLTV delta. */
  readonly feeMsat: bigint;
  readonly delay: number;
  /** A point with which a blinded path can begin. */
  readonly pathKey: Uint8Array;
  readonly height: () => Promise<number>;
  /** Holds the next HTLC until the returned function is called. */
  readonly hold: () => Promise<() => void>;
  /** The invoice of the recipient. */
  readonly invoice: { readonly hash: Uint8Array; readonly secret: Uint8Array };
}

/** Recorded answers of a real LND. */
export const RECORDING = new URL('scenario-v0.21.json', import.meta.url).pathname;

/** The result of one call: the step's name and the masked answer. */
export type Step = readonly [string, unknown];

const AMOUNT = 5_000n;
const INVOICE = 20_000n;
/** Number of blocks until the last HTLC expires. */
const FINAL_BLOCKS = 90;
/** Time in milliseconds for a part to reach the recipient, which waits for the other parts. */
const ARRIVAL_MS = 1_000;

interface Mpp {
  readonly payment_addr: Uint8Array;
  readonly total_amt_msat: string;
}

interface RouteWishes {
  readonly amount?: bigint;
  readonly fee?: bigint;
  /** CLTV delta for `next`, and blocks until the last HTLC expires. */
  readonly delay?: number;
  readonly blocks?: number;
  readonly first?: string;
  readonly beyond?: string;
  readonly mpp?: Mpp;
  readonly preimage?: Uint8Array;
  readonly last?: object;
}

/** Makes all calls of the scenario, in order. */
export class Scenario {
  readonly #network: ScenarioNetwork;
  readonly #steps: Step[] = [];

  constructor(network: ScenarioNetwork) {
    this.#network = network;
  }

  async run(): Promise<Step[]> {
    await this.#questions();
    await this.#malformed();
    await this.#paid();
    await this.#failed();
    await this.#codes();
    await this.#openSet();
    await this.#parts();
    await this.#blindedParts();
    return this.#steps;
  }

  // ---------------------------------------------------------------- calls

  async #ask(name: string, method: LndMethod, request: object, calls = this.#network.calls): Promise<void> {
    this.#steps.push([name, await answerOf(calls, method, request)]);
  }

  async #send(name: string, hash: Uint8Array, wishes: RouteWishes, skip = false): Promise<void> {
    const request = { payment_hash: hash, route: await this.#route(wishes), skip_temp_err: skip };
    await this.#ask(name, 'SendToRouteV2', request);
  }

  /** The state of a payment: the first message of its stream. */
  async #track(name: string, hash: Uint8Array): Promise<void> {
    const state = await new Promise((resolve) => {
      const end = this.#network.calls.stream(
        'TrackPaymentV2',
        { payment_hash: hash },
        {
          onMessage: (payment) => {
            resolve(masked(payment));
            end();
          },
          onEnd: (error) => resolve([error.status, error.message]),
        },
      );
    });
    this.#steps.push([name, state]);
  }

  /** A route over `next` to the recipient. */
  async #route({
    amount = AMOUNT,
    fee = this.#network.feeMsat,
    delay = this.#network.delay,
    blocks = FINAL_BLOCKS,
    first = this.#network.ours,
    beyond = this.#network.beyond,
    mpp,
    preimage,
    last = {},
  }: RouteWishes): Promise<object> {
    const { next, recipient } = this.#network;
    const expiry = (await this.#network.height()) + blocks;
    const amt_to_forward_msat = String(amount);
    const records = preimage && { custom_records: { [String(KEYSEND_PREIMAGE_TYPE)]: preimage } };
    return {
      total_time_lock: expiry + delay,
      total_amt_msat: String(amount + fee),
      hops: [
        { chan_id: first, pub_key: next, amt_to_forward_msat, expiry },
        {
          ...{ chan_id: beyond, pub_key: recipient, amt_to_forward_msat, expiry },
          ...(mpp && { mpp_record: mpp }),
          ...records,
          ...last,
        },
      ],
    };
  }

  // ---------------------------------------------------------------- requests

  async #questions(): Promise<void> {
    const { wrong, narrow, next } = this.#network;
    await this.#ask('a wrong macaroon', 'GetInfo', {}, wrong);
    await this.#ask('a macaroon without the permission', 'ListChannels', {}, narrow);
    await this.#track('a hash that was never paid', randomBytes(32));
    await this.#ask('an unknown channel', 'GetChanInfo', { chan_id: '77' });
    await this.#ask('a peer that is there', 'ConnectPeer', { addr: { pubkey: next, host: '127.0.0.1:1' } });
    await this.#ask('no pairs', 'XImportMissionControl', { pairs: [] });
    await this.#ask('a message without a key', 'SendOnionMessage', {});
  }

  async #malformed(): Promise<void> {
    const hash = randomBytes(32);
    await this.#ask('no route', 'SendToRouteV2', { payment_hash: hash });
    await this.#send('a record that is too low', hash, { last: { custom_records: { 65535: hash } } });
    await this.#send('a blinded total without a blinded path', hash, { last: { total_amt_msat: '5' } });
    await this.#send('skip_temp_err without a secret', hash, {}, true);
    await this.#track('none of these is a payment', hash);
  }

  async #paid(): Promise<void> {
    const preimage = Uint8Array.from(randomBytes(32));
    const hash = sha256(preimage);
    await this.#send('a keysend', hash, { preimage });
    await this.#track('its payment', hash);
    await this.#send('the same again', hash, { preimage });
  }

  async #failed(): Promise<void> {
    const preimage = Uint8Array.from(randomBytes(32));
    const hash = sha256(preimage);
    const mpp = { payment_addr: randomBytes(32), total_amt_msat: String(AMOUNT) };
    await this.#send('an unknown hash', hash, { mpp });
    await this.#track('its payment has failed', hash);
    await this.#send('too little fee', hash, { preimage, fee: 0n });
    await this.#send('a channel that the next node does not have', hash, { preimage, beyond: '77' });
    await this.#send('a channel that we do not have', hash, { preimage, first: '77' });
    await this.#send('more than our channel has', hash, { preimage, amount: 900_000_000_000n });
    await this.#send('and then enough', hash, { preimage });
    await this.#track('only its last attempt is kept', hash);
  }

  /** Failures for which LND uses its own numbers. */
  async #codes(): Promise<void> {
    const { delay, pathKey: blinding_point } = this.#network;
    const encrypted_data = new Uint8Array(50);
    const total_amt_msat = String(AMOUNT);
    const steps: readonly [string, RouteWishes][] = [
      ['less than the next node forwards', { amount: 1n }],
      ['too few blocks for the next node', { delay: delay - 1 }],
      ['too few blocks beyond the next node', { blocks: 0 }],
      ['too few blocks at our channel', { delay: 0, blocks: 1 }],
      ['more blocks than our channel takes', { delay: 3_000 }],
      ['an unreadable blinded path', { last: { blinding_point, encrypted_data, total_amt_msat } }],
      ['encrypted data without a path key', { last: { encrypted_data, total_amt_msat } }],
    ];
    for (const [name, wishes] of steps) {
      const preimage = Uint8Array.from(randomBytes(32));
      await this.#send(name, sha256(preimage), { preimage, ...wishes });
    }
  }

  /** LND accepts only one part to a blinded path, because further parts need a payment secret to join. */
  async #blindedParts(): Promise<void> {
    const hash = randomBytes(32);
    const last = {
      ...{ blinding_point: this.#network.pathKey, encrypted_data: new Uint8Array(50) },
      total_amt_msat: String(2n * AMOUNT),
    };
    const route = await this.#route({ last });
    const release = await this.#network.hold();
    const first = answerOf(this.#network.calls, 'SendToRouteV2', { payment_hash: hash, route });
    await new Promise((done) => setTimeout(done, ARRIVAL_MS));
    await this.#send('a second part to a blinded path', hash, { last });
    await this.#send('and with skip_temp_err', hash, { last }, true);
    release();
    void first;
  }

  /**
   * If all parts fail, the payment stays open. A part that fails without `skip_temp_err` ends the payment.
   */
  async #openSet(): Promise<void> {
    const hash = randomBytes(32);
    const mpp = { payment_addr: randomBytes(32), total_amt_msat: String(2n * AMOUNT) };
    await this.#send('a part with too little fee', hash, { mpp, fee: 0n }, true);
    await this.#track('its payment stays open', hash);
    await this.#send('a payment of that hash without parts', hash, {});
    await this.#send('a part that fails inside', hash, { mpp, amount: 1n, fee: 0n, first: '1' });
    await this.#track('its payment has ended', hash);
  }

  async #parts(): Promise<void> {
    const { hash, secret } = this.#network.invoice;
    const mpp = { payment_addr: secret, total_amt_msat: String(INVOICE) };
    const half = INVOICE / 2n;
    const route = await this.#route({ amount: half, mpp });
    const first = answerOf(this.#network.calls, 'SendToRouteV2', {
      ...{ payment_hash: hash, route, skip_temp_err: true },
    });
    await new Promise((done) => setTimeout(done, ARRIVAL_MS));
    await this.#track('a part that waits', hash);
    await this.#send('another caller', hash, {});
    await this.#send('more than the total', hash, { mpp, amount: half + 1n }, true);
    const otherSecret = { ...mpp, payment_addr: new Uint8Array(32) };
    await this.#send('another secret', hash, { mpp: otherSecret, amount: half }, true);
    const otherTotal = { ...mpp, total_amt_msat: String(INVOICE + 1n) };
    await this.#send('another total', hash, { mpp: otherTotal, amount: half }, true);
    await this.#send('the other part', hash, { mpp, amount: half }, true);
    this.#steps.push(['the part that waited', await first]);
    await this.#track('both are paid', hash);
    await this.#send('a part of what is paid', hash, { mpp, amount: half }, true);
  }
}

async function answerOf(calls: LndCalls, method: LndMethod, request: object): Promise<unknown> {
  try {
    return masked(await calls.call(method, request, 60_000));
  } catch (error) {
    if (!(error instanceof LndError)) throw error;
    return [STATUS_NAMES[error.status] ?? error.status, maskedText(error.message)];
  }
}

const STATUS_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(STATUS).map(([name, status]) => [status, name]),
);

/** A text with ids and addresses masked. */
const maskedText = (text: string): string =>
  text.replace(/\b0[23][0-9a-f]{64}\b/g, 'ID').replace(/127\.0\.0\.1:\d+/g, 'ADDRESS');

/** Members whose values differ between two networks, so that only their presence is compared. */
const DIFFERENT = new Set([
  ...['attempt_id', 'attempt_time_ns', 'creation_time_ns', 'payment_index', 'payment_hash'],
  ...[
    'total_time_lock',
    'expiry',
    'chan_id',
    'pub_key',
    'height',
    'cltv_expiry',
    'preimage',
    'payment_preimage',
  ],
  ...['payment_addr', 'custom_records', 'channel_update', 'onion_sha_256', 'fee_msat', 'total_fees_msat'],
]);

/** An answer with differing values masked: absent or empty ones become null, all others `*`. */
function masked(value: unknown, name = ''): unknown {
  if (DIFFERENT.has(name)) return isEmpty(value) ? null : '*';
  if (value instanceof Uint8Array) return value.length === 0 ? null : '*';
  if (Array.isArray(value)) return value.map((one) => masked(one));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, key)]));
  }
  return value;
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === '0' ||
  (value instanceof Uint8Array && value.every((byte) => byte === 0)) ||
  (typeof value === 'string' && /^0+$/.test(value)) ||
  (typeof value === 'object' && Object.keys(value).length === 0);
