/**
 * The deterministic simulation of payments. From one seed it makes a network with faults, a caller who pays
 * in parallel, and a process that crashes, all in virtual time. These rules must always hold:
 *
 *   money       balances add up to capacities; our channels lost what complete payments report as sent; no
 *               recipient receives a payment twice
 *   outcomes    one per payment, and no attempt is made or sent after it
 *   journal     an attempt is on disk before its HTLC leaves
 *   crashes     after a crash, only payments with an idempotency key make further attempts; half of the payments
 *               have a key
 *   limits      fee and delay stay within what the caller allowed, for all parts in flight at any moment
 *   rest        nothing reserved, nothing in flight, no private layer left
 *   blame       a failure is blamed on the node at which the HTLC failed
 *   knowledge   the learned bounds contain the true balance of every direction, whenever the network is at rest;
 *               except on channels over which our payments went inside blinded paths
 *
 * The digest covers the event log of the network and all outcomes. Equal seeds give equal digests.
 */
import { createHash } from 'node:crypto';
import { toHex } from '../../../src/bolt/bytes.ts';
import { hmacSha256 } from '../../../src/bolt/crypto/hashes.ts';
import { parseBolt11 } from '../../../src/bolt/invoice/bolt11-invoice.ts';
import { snapshotNodePrivateKey } from '../../../src/gossip/node-keys.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import { applyFold, type BoundsFold } from '../../../src/layers/bounds-fold.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { type Msat, msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import {
  type Direction,
  formatShortChannelId,
  formatShortChannelIdDir,
  type ShortChannelId,
  type ShortChannelIdDir,
} from '../../../src/model/short-channel-id.ts';
import type { HtlcOffer } from '../../../src/network/simulated/index.ts';
import type { FaultRates } from '../../../src/network/simulated/options.ts';
import { InvoiceTaken } from '../../../src/payments/books/invoice-guard.ts';
import type { StoredAttempt } from '../../../src/payments/books/journal.ts';
import { type Payment, type PaymentRequest, routeDelay } from '../../../src/payments/payment.ts';
import { payableBolt11 } from '../../../src/payments/plan/payable-invoice.ts';
import { tailOf } from '../../../src/payments/plan/recipient.ts';
import { collected } from '../../collected.ts';
import { blindedRequest } from '../blinded-invoice.ts';
import { leastSentMsat } from './all-seeing.ts';
import { keysendRequest, SimulatedNode, turn } from './simulated-node.ts';

export interface Run {
  readonly seed: number;
  readonly payments: number;
  readonly complete: number;
  readonly failed: number;
  /** Number of payments that were lost in a crash before any of their data was on disk. */
  readonly forgotten: number;
  readonly attempts: number;
  readonly crashes: number;
  /** Number of payments that made further attempts after a crash. */
  readonly continued: number;
  readonly digest: string;
  readonly shadowed: number;
  /**
   * Number of payments with ample limits that a payer who knows every balance could have made in one HTLC when
   * they began.
   */
  readonly payable: number;
  /** Number of payments in `payable` that failed although their recipient accepts keysends. */
  readonly missed: number;
  /** Number of attempts of the completed payments in `payable`. A payer who knows every balance would need one each. */
  readonly payableAttempts: number;
  /** Numbers of attempts by their end: the name of a failure, `unreadable`, or `settled`. */
  readonly endings: Readonly<Record<string, number>>;
  /** Number of complete payments by kind; payments of invoices by the invoice's standard. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Number of requests that were refused because their invoice was already paid or being paid. */
  readonly taken: number;
  /** Number of requests by kind, with any outcome. Repeated requests count too. */
  readonly asked: Readonly<Record<'again' | 'keysend' | 'bolt11' | 'bolt12', number>>;
  /** Number of attempts that failed at a node of the network, according to the network's own record. */
  readonly broken: number;
  /**
   * Minimum number of failures in `broken` that should remain readable, given that every forwarding node may
   * garble them.
   */
  readonly readable: number;
  /** Number of failures in `broken` that were readable and were blamed on a node. */
  readonly blames: number;
  /** Violated rules. Empty if there are none. */
  readonly violations: readonly string[];
}

/**
 * The kinds of payments: only keysends, or invoices of all kinds (some of them paid twice) and a few
 * keysends.
 */
export type Kinds = 'keysends' | 'invoices';

const AMOUNTS_SAT = [1n, 1_000n, 1_000n, 10_000n, 10_000n, 50_000n, 200_000n, 1_000_000n];
/**
 * Probability that a request in a run of 'invoices' carries a BOLT 11 invoice. A BOLT 12 invoice is equally
 * likely.
 */
export const BOLT11_SHARE = 0.4;
/** Maximum probability, over all networks, that a node garbles a failure that it sends or passes back. */
export const MAX_GARBLED = 0.05;
const CONCURRENCY = 12;
/** Number of payments after which the network comes to rest and the learned bounds are checked. */
const BURST = 40;
/** More steps than any burst of payments needs, including expiries. */
const MAX_PASSES = 100_000;
/** One block may be found while an HTLC is in flight. */
const SLACK_BLOCKS = 1;

class Runner {
  readonly #seed: number;
  readonly #random: () => number;
  readonly #node: SimulatedNode;
  readonly #violations: string[] = [];
  readonly #judgements: Promise<void>[] = [];
  readonly #outcomes = createHash('sha256');
  readonly #answered = new Map<string, { readonly status: string; readonly attempts: number }>();
  /** By payment hash: the amount in flight or settled on our channels, msat. */
  readonly #exposedMsat = new Map<string, bigint>();
  readonly #isQuiet: boolean;
  #payable = 0;
  #missed = 0;
  #payableAttempts = 0;
  readonly #offered = new Map<string, Pick<HtlcOffer, 'paymentHash' | 'amountMsat'>>();
  readonly #kinds: Kinds;
  /** Requests that carried an invoice. Any of them may be repeated. */
  readonly #invoices: PaymentRequest[] = [];
  /**
   * The node at which each attempt first failed, as its position counted from us, according to the network.
   */
  readonly #culprits = new Map<string, number>();
  /** The directions that each attempt used, in order, including those inside blinded paths. */
  readonly #crossed = new Map<string, string[]>();
  #blames = 0;
  #broken = 0;
  #readable = 0;
  readonly #asked = { again: 0, keysend: 0, bolt11: 0, bolt12: 0 };
  #taken = 0;
  #begun = 0;
  #running = 0;
  readonly #crashedAtMs: number[] = [];
  #randomCounter = 0;

  constructor(seed: number, nodes: number, kinds: Kinds) {
    this.#seed = seed;
    this.#kinds = kinds;
    this.#random = seededRandom(seed, 99);
    // Half of the networks lose no peer. In those, "does not fit" always means that the balance is too small.
    this.#isQuiet = this.#random() < 0.5;
    this.#node = new SimulatedNode({
      graph: generateSyntheticGraph({ nodeCount: nodes, seed }),
      simulation: {
        seed,
        balances: this.#random() < 0.5 ? 'uniform' : 'bimodal',
        blockIntervalMs: 60_000,
        // In half of the networks, recipients give up waiting before a stuck part continues.
        multiPartTimeoutMs: this.#random() < 0.5 ? 20_000 : 60_000,
        faults: this.#faults(),
        onEvent: (line) => this.#hear(line),
      },
      engine: { randomBytes: (length) => this.#bytes(length) },
      breakRoutes: () => {
        if (this.#random() < 0.01) throw new FulguriteError('workerDied', 'the worker died');
      },
    });
    this.#refuseKeysends(this.#random() * 0.1);
    this.#watchOffers();
  }

  /** Makes a share of the nodes refuse keysends, even nodes that announce support for them. */
  #refuseKeysends(share: number): void {
    const { graph, simulation } = this.#node;
    for (let node = 0; node < graph.nodeCount; node++) {
      if (this.#random() < share) simulation.setTrait(graph.nodeId(node), 'takesKeysend', false);
    }
  }

  #faults(): FaultRates {
    const some = (most: number): number => this.#random() * most;
    return {
      offlineNodes: this.#isQuiet ? 0 : some(0.05),
      unresponsiveNodes: some(0.01),
      garbledFailures: some(MAX_GARBLED),
      stuckHtlcs: some(0.02),
      stuckMs: 30_000,
      stuckToExpiry: 0,
      unreportedPolicies: some(0.1),
      heightDisagreement: some(0.1),
      // More blocks than a recipient allows as a margin.
      heightOffsetBlocks: 40,
    };
  }

  /** Secrets that are derived from the seed. */
  #bytes(length: number): Uint8Array {
    const key = new Uint8Array(8);
    new DataView(key.buffer).setUint32(0, this.#seed);
    new DataView(key.buffer).setUint32(4, this.#randomCounter++);
    return Uint8Array.from(hmacSha256(key, new Uint8Array(1)).subarray(0, length));
  }

  async run(count: number): Promise<Run> {
    const destinations = this.#destinations();
    const before = this.#balance();
    for (let burst = BURST; this.#begun < count; burst += BURST) {
      await this.#payUntil(Math.min(burst, count), destinations);
      await this.#comeToRest();
      await this.#judgeKnowledge();
    }
    return this.#judge(count, before);
  }

  async #payUntil(count: number, destinations: readonly NodeId[]): Promise<void> {
    for (let passes = 0; this.#begun < count || this.#running > 0; passes++) {
      if (passes > MAX_PASSES) return void this.#violations.push('does not end');
      if (this.#begun < count && this.#running < CONCURRENCY && this.#random() < 0.3) {
        this.#begin(this.#request(destinations));
      }
      await this.#node.pass();
      if (this.#random() < 0.004) await this.#crash(count, destinations);
      if (this.#random() < 0.01) this.#meddle();
    }
  }

  /** All nodes, or only a few. With few, payments share the same channels. */
  #destinations(): NodeId[] {
    const all = this.#node.destinations();
    if (this.#random() < 0.5) return all;
    return Array.from({ length: 4 }, () => all[Math.floor(this.#random() * all.length)]!);
  }

  /**
   * `TIME ATTEMPT HOP CHANNEL fails CODE`, or `malformed NAME`: the first such line of an attempt shows where
   * it failed.
   */
  #hear(line: string): void {
    const [, attemptId = '', hop = '', channel = '', what] = line.split(' ');
    if (what === 'offers') this.#crossed.set(attemptId, [...(this.#crossed.get(attemptId) ?? []), channel]);
    if ((what !== 'fails' && what !== 'malformed') || this.#culprits.has(attemptId)) return;
    this.#culprits.set(attemptId, Number(hop) + 1);
  }

  #request(destinations: readonly NodeId[]): PaymentRequest {
    if (this.#kinds === 'keysends') return this.#keysend(destinations);
    const draw = this.#random();
    const again = this.#invoices[Math.floor(this.#random() * this.#invoices.length)];
    if (draw < 0.1 && again !== undefined) {
      this.#asked.again++;
      return { ...again, retryForS: 60, idempotencyKey: undefined };
    }
    const plain = this.#keysend(destinations);
    const kind = draw < 0.2 ? 'keysend' : draw < 0.2 + BOLT11_SHARE ? 'bolt11' : 'bolt12';
    this.#asked[kind]++;
    if (kind === 'keysend') return plain;
    const request = kind === 'bolt11' ? this.#bolt11(plain) : this.#bolt12(plain);
    this.#invoices.push(request);
    return request;
  }

  /** The request with a BOLT 11 invoice of the same recipient. */
  #bolt11({ destination, ...plain }: PaymentRequest): PaymentRequest {
    const { simulation } = this.#node;
    const kind = this.#random() < 0.5 ? 'xpay' : 'pay';
    const text = simulation.issueInvoice(destination, {
      currency: 'bc',
      amountMsat: this.#random() < 0.3 ? undefined : plain.amountMsat,
      description: '',
      // Some invoices expire during payment.
      expirySeconds: this.#random() < 0.2 ? 20 : 3600,
      minFinalCltvExpiryDelta: this.#random() < 0.5 ? 18 : 80,
      hints: Math.floor(this.#random() * 4),
      hasMetadata: this.#random() < 0.3,
      nonce: this.#bytes(9),
    });
    const { terms, routeHints } = payableBolt11(parseBolt11(text), text, plain.amountMsat);
    const asked = { invstring: text, payerNote: undefined };
    return { ...plain, kind, destination, invoice: terms, routeHints, asked };
  }

  /** The request with blinded paths to the same recipient. */
  #bolt12({ destination, ...plain }: PaymentRequest): PaymentRequest {
    const { graph, simulation } = this.#node;
    const plans = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => ({
      hops: Math.floor(this.#random() * 4),
      dummies: Math.floor(this.#random() * 3),
      byChannel: this.#random() < 0.3,
    }));
    const wishes = {
      ...{ graph, recipient: destination, amountMsat: plain.amountMsat, plans },
      secretKey: snapshotNodePrivateKey(graph.nodeIndex(destination)),
      ...{ height: simulation.height, nowMs: simulation.nowMs, number: this.#seed * 1_000_000 + this.#begun },
      takesParts: this.#random() < 0.8,
      expiresInSeconds: this.#random() < 0.2 ? 20n : 3600n,
    };
    return blindedRequest(wishes, { ...plain, kind: 'xpay', extraTlvs: [] });
  }

  #keysend(destinations: readonly NodeId[]): PaymentRequest {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(this.#random() * list.length)]!;
    const amountMsat = msat(pick(AMOUNTS_SAT) * 1000n);
    return keysendRequest(pick(destinations), {
      kind: this.#random() < 0.5 ? 'keysend' : 'xkeysend',
      amountMsat,
      maxfeeMsat: msat(this.#maxfeeMsat(amountMsat)),
      maxdelay: this.#random() < 0.1 ? 100 : 2016,
      retryForS: this.#random() < 0.2 ? 0 : 60,
      seed: BigInt(Math.floor(this.#random() * 2 ** 48)),
      idempotencyKey: this.#begun % 2 === 0 ? `${this.#begun}` : undefined,
    });
  }

  /** A fee limit that is tiny, just about sufficient, or ample. */
  #maxfeeMsat(amountMsat: bigint): bigint {
    const draw = this.#random();
    if (draw < 0.3) return BigInt(Math.floor(this.#random() * 2_000));
    if (draw < 0.6) return (amountMsat * BigInt(Math.floor(this.#random() * 2_000))) / 1_000_000n;
    return 5_000n + amountMsat / 50n;
  }

  #begin(request: PaymentRequest): void {
    this.#begun++;
    this.#running++;
    const isPayable = this.#isPayable(request);
    this.#node.payments.pay(request).then(
      (payment) => {
        this.#note(payment);
        if (!isPayable) return;
        this.#payable++;
        if (payment.status === 'complete') this.#payableAttempts += payment.attempts.length;
        const { failure } = payment;
        const isRefused =
          failure !== undefined && 'obstacle' in failure && failure.obstacle === 'recipientRefused';
        if (payment.status === 'failed' && !isRefused) this.#missed++;
      },
      (error: Error) => {
        this.#running--;
        if (error instanceof InvoiceTaken) {
          this.#taken++;
          if (error.payment.status === 'failed') this.#violations.push('a failed payment keeps its invoice');
          return;
        }
        if (error.name !== 'shuttingDown') this.#violations.push(`pay rejects: ${error}`);
      },
    );
  }

  /**
   * Whether a payment counts as `payable`. Limits are ample if they allow the maximum delay and a second
   * attempt.
   */
  #isPayable({ destination, amountMsat, maxfeeMsat, maxdelay, retryForS }: PaymentRequest): boolean {
    if (maxdelay < 2016 || retryForS === 0) return false;
    return leastSentMsat(this.#node, destination, amountMsat, amountMsat + maxfeeMsat) !== undefined;
  }

  #note(payment: Payment): void {
    this.#running--;
    const { id, status } = payment;
    if (this.#answered.has(id)) this.#violations.push(`payment ${id} is answered twice`);
    this.#answered.set(id, { status, attempts: payment.attempts.length });
    const inFlight = payment.attempts.some((attempt) => attempt.status === 'sent');
    if (status === 'failed' && inFlight) this.#violations.push(`payment ${id} fails while in flight`);
  }

  /** Changes the network during payments: fees rise, blocks are found, nodes leave and return. */
  #meddle(): void {
    const { simulation, graph } = this.#node;
    const pick = (count: number): number => Math.floor(this.#random() * count);
    const shortChannelId = graph.shortChannelIds[pick(graph.channelCount)]! as ShortChannelId;
    const of = { shortChannelId, direction: pick(2) as Direction };
    if (this.#trueBalance(of) !== undefined) simulation.setPolicy(of, { feeBaseMsat: pick(3_000) });
    if (this.#random() < 0.2) simulation.setHeight(simulation.height + 1 + pick(3));
    if (this.#isQuiet) return;
    simulation.setTrait(graph.nodeId(pick(graph.nodeCount)), 'offline', this.#random() < 0.5);
  }

  /** Crashes either at rest, or with payments that have just begun and outcomes that are not written yet. */
  async #crash(count: number, destinations: readonly NodeId[]): Promise<void> {
    this.#crashedAtMs.push(this.#node.nowMs());
    for (let more = Math.floor(this.#random() * 3); more > 0 && this.#begun < count; more--) {
      this.#begin(this.#request(destinations));
    }
    if (this.#random() < 0.5) this.#node.simulation.step();
    for (let ticks = Math.floor(this.#random() * 30); ticks > 0; ticks--) await undefined;
    await this.#node.crash();
    await turn();
    await this.#node.open();
  }

  /** Checks each departing HTLC against the content of the disk at that moment. */
  #watchOffers(): void {
    const { simulation } = this.#node;
    const offerHtlc = simulation.offerHtlc.bind(simulation);
    simulation.offerHtlc = (offer) => {
      if (simulation.lookUpHtlcs([offer.attemptId])[0]!.status === 'unknown')
        this.#judgements.push(this.#judgeOffer(offer));
      offerHtlc(offer);
    };
    simulation.onDecided = (entries) => {
      for (const { attemptId, outcome } of entries) {
        const { paymentHash, amountMsat } = this.#offered.get(attemptId)!;
        if (outcome.status !== 'settled') this.#expose(paymentHash, -amountMsat);
      }
    };
  }

  #expose(paymentHash: Uint8Array, changeMsat: bigint): bigint {
    const hash = toHex(paymentHash);
    const exposed = (this.#exposedMsat.get(hash) ?? 0n) + changeMsat;
    this.#exposedMsat.set(hash, exposed);
    return exposed;
  }

  /** Queries the store before it first waits, so the answer reflects the moment at which the HTLC leaves. */
  async #judgeOffer({ attemptId, paymentHash, amountMsat, cltvExpiry }: HtlcOffer): Promise<void> {
    const wrong = (what: string): void => void this.#violations.push(`${attemptId} ${what}`);
    this.#offered.set(attemptId, { paymentHash, amountMsat });
    const exposed = this.#expose(paymentHash, amountMsat);
    const { height } = this.#node.simulation;
    const stored = await this.#storedAttempt(attemptId, paymentHash);
    if (stored === undefined) {
      wrong('leaves without being on disk');
      return;
    }
    const { payment, attempt } = stored;
    const { request } = payment;
    if (toHex(payment.paymentHash) !== toHex(paymentHash)) wrong('belongs to another payment on disk');
    if (payment.status !== 'pending') wrong(`leaves when its payment is ${payment.status}`);
    if (attempt.status !== 'sent') wrong(`leaves when it is ${attempt.status}`);
    if (exposed > request.amountMsat + request.maxfeeMsat) wrong(`takes ${exposed} msat out of our channels`);
    if (cltvExpiry - height > request.maxdelay + SLACK_BLOCKS) wrong('is locked too long');
  }

  async #storedAttempt(attemptId: string, paymentHash: Uint8Array): Promise<StoredAttempt | undefined> {
    for await (const payment of this.#node.payments.journal.payments({ paymentHash })) {
      const attempt = payment.attempts.find(({ id }) => id === attemptId);
      if (attempt !== undefined) return { payment, attempt };
    }
    return undefined;
  }

  async #comeToRest(): Promise<void> {
    for (let passes = 0; passes < MAX_PASSES; passes++) {
      await this.#node.pass();
      if (this.#node.simulation.isIdle && [...this.#node.payments.live()].length === 0) return;
    }
    this.#violations.push('does not come to rest');
  }

  #balance(): bigint {
    const { simulation } = this.#node;
    return simulation.ownChannels().channels.reduce((sum, { spendableMsat }) => sum + spendableMsat, 0n);
  }

  async #judge(count: number, before: bigint): Promise<Run> {
    await this.#node.store.payments.durable();
    await Promise.all(this.#judgements);
    const payments = await collected(this.#node.payments.journal.payments());
    this.#violations.push(...this.#node.simulation.checkConservation());
    const { repeatedPayments } = this.#node.simulation.stats();
    if (repeatedPayments > 0)
      this.#violations.push(`${repeatedPayments} HTLCs of payments that were already paid`);
    let sent = 0n;
    for (const payment of payments) {
      sent += this.#judgePayment(payment);
    }
    const spent = before - this.#balance();
    if (sent !== spent) this.#violations.push(`${spent} msat left us, payments say ${sent}`);
    if ([...this.#node.book.reservations()].length > 0) this.#violations.push('something is still reserved');
    const layers = [...this.#node.book.layers()].map(({ name }) => name);
    if (layers.join() !== 'xpay') this.#violations.push(`layers are left: ${layers}`);
    this.#outcomes.update(this.#node.simulation.logDigest());
    const run: Run = {
      seed: this.#seed,
      payments: count,
      complete: payments.filter(({ status }) => status === 'complete').length,
      failed: payments.filter(({ status }) => status === 'failed').length,
      forgotten: count - payments.length,
      attempts: payments.reduce((sum, { attempts }) => sum + attempts.length, 0),
      crashes: this.#crashedAtMs.length,
      continued: payments.filter((payment) => this.#isContinued(payment)).length,
      digest: this.#outcomes.digest('hex'),
      shadowed: payments.filter(({ totalMsat, request }) => totalMsat > request.amountMsat).length,
      payable: this.#payable,
      missed: this.#missed,
      payableAttempts: this.#payableAttempts,
      endings: endingsOf(payments),
      kinds: kindsOf(payments),
      taken: this.#taken,
      asked: this.#asked,
      broken: this.#broken,
      readable: this.#readable,
      blames: this.#blames,
      violations: this.#violations,
    };
    await this.#node.destroy();
    return run;
  }

  /** The amount sent, according to the payment. */
  #judgePayment(payment: Payment): bigint {
    const { id, status, request, attempts, completedAtMs } = payment;
    const wrong = (what: string): void => void this.#violations.push(`payment ${id}: ${what}`);
    this.#outcomes.update(`${id} ${status} ${toHex(payment.paymentHash)} ${attempts.length};`);
    const settled = attempts.filter((attempt) => attempt.status === 'settled');
    if (status === 'pending') wrong('is still pending');
    if ((status === 'complete') !== settled.length > 0)
      wrong(`${status} with ${settled.length} settled attempts`);
    if (attempts.some((attempt) => attempt.status === 'sent')) wrong('an attempt is still in flight');
    const answered = this.#answered.get(id);
    if (answered !== undefined && answered.status !== status)
      wrong(`answered ${answered.status}, is ${status}`);
    if (answered !== undefined && answered.attempts !== attempts.length) wrong('goes on after its answer');
    if (request.idempotencyKey === undefined && this.#isContinued(payment)) wrong('goes on after a crash');
    for (const attempt of attempts) {
      this.#judgeBlame(payment, attempt);
      if (routeDelay(attempt.path) > request.maxdelay) wrong('is locked longer than allowed');
      if (attempt.createdAtMs > completedAtMs!) wrong('attempts after its outcome');
    }
    const sum = (of: (attempt: Payment['attempts'][number]) => Msat): bigint =>
      settled.reduce((total, attempt) => total + of(attempt), 0n);
    const sent = sum(({ amountSentMsat }) => amountSentMsat);
    const delivered = sum(({ amountMsat }) => amountMsat);
    if (status === 'complete' && delivered < request.amountMsat) wrong(`delivered ${delivered}`);
    if (sent > request.amountMsat + request.maxfeeMsat) wrong(`cost ${sent - request.amountMsat}`);
    return sent;
  }

  /** Whether the payment was in progress at a crash and made a further attempt after it. */
  #isContinued({ createdAtMs, attempts }: Payment): boolean {
    return this.#crashedAtMs.some(
      (atMs) => createdAtMs < atMs && attempts.some((attempt) => attempt.createdAtMs > atMs),
    );
  }

  /**
   * Checks that a failure is blamed on the node that failed it. For a node inside a blinded path, that is the
   * introduction node.
   */
  #judgeBlame(payment: Payment, { id, path, failure }: Payment['attempts'][number]): void {
    const culprit = this.#culprits.get(id);
    if (culprit === undefined || failure === undefined) return;
    this.#broken++;
    this.#readable += (1 - MAX_GARBLED) ** culprit;
    if (failure.erringIndex === undefined || failure.rawMessage === undefined) return;
    this.#blames++;
    const blindedHops = tailOf(payment, path)?.hops.length;
    const introduction = path.length - 1;
    const isRecipient = blindedHops === 1 && culprit === introduction;
    const expected = blindedHops === undefined ? culprit : Math.min(culprit, introduction);
    const blamed = failure.erringIndex;
    if (blamed !== (isRecipient ? path.length : expected)) {
      this.#violations.push(`attempt ${id}: node ${blamed} is blamed for what node ${culprit} did`);
    }
  }

  /** Compares the bounds of each direction in the shared layer with the hidden balances. */
  async #judgeKnowledge(): Promise<void> {
    const layer = this.#node.book.layer('xpay')!;
    const hidden = await this.#hiddenChannels();
    for (const shortChannelId of layer.channelIds()) {
      if (hidden.has(formatShortChannelId(shortChannelId))) continue;
      const channel = this.#node.graph.channelIndex(shortChannelId);
      const capacity = this.#node.graph.capacityMsat[channel]!;
      for (const direction of [0, 1] as const) {
        const fold = layer.channelCell(shortChannelId)!.bounds[direction];
        this.#judgeBounds(shortChannelId, direction, fold, capacity);
      }
    }
  }

  /**
   * Channels over which our payments went inside blinded paths. We do not know which they are, so our bounds
   * for them are outdated.
   */
  async #hiddenChannels(): Promise<Set<string>> {
    const hidden = new Set<string>();
    for await (const { request, attempts } of this.#node.payments.journal.payments()) {
      if ((request.invoice?.blindedTails.length ?? 0) === 0) continue;
      for (const { id, path } of attempts) {
        for (const channel of (this.#crossed.get(id) ?? []).slice(path.length - 1))
          hidden.add(channel.replace(/\/\d$/, ''));
      }
    }
    return hidden;
  }

  /** The true balance. Undefined if the channel was closed because of an unanswered HTLC. */
  #trueBalance(of: ShortChannelIdDir): bigint | undefined {
    try {
      return this.#node.simulation.balanceMsat(of);
    } catch (error) {
      if (error instanceof FulguriteError) return undefined;
      throw error;
    }
  }

  #judgeBounds(
    shortChannelId: ShortChannelId,
    direction: Direction,
    fold: BoundsFold,
    capacity: bigint,
  ): void {
    const of = { shortChannelId, direction };
    const balance = this.#trueBalance(of);
    if (balance === undefined) return;
    const { minMsat: least, maxMsat: most } = applyFold(fold, { minMsat: 0n, maxMsat: capacity }, capacity);
    const name = formatShortChannelIdDir(of);
    if (least > balance) this.#violations.push(`${name} has ${balance}, and its minimum is ${least}`);
    if (this.#isQuiet && most < balance) {
      this.#violations.push(`${name} has ${balance}, and its maximum is ${most}`);
    }
  }
}

function kindsOf(payments: readonly Payment[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const { request, status } of payments) {
    const kind = request.invoice?.format ?? request.kind;
    if (status === 'complete') kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

function endingsOf(payments: readonly Payment[]): Record<string, number> {
  const endings: Record<string, number> = {};
  for (const { status, failure } of payments.flatMap(({ attempts }) => attempts)) {
    const ending = status === 'settled' ? status : (failure?.failcodename ?? 'unreadable');
    endings[ending] = (endings[ending] ?? 0) + 1;
  }
  return endings;
}

/** Makes `payments` payments from a seed on a network of `nodes` nodes. */
export function simulate(
  seed: number,
  payments: number,
  nodes = 150,
  kinds: Kinds = 'keysends',
): Promise<Run> {
  return new Runner(seed, nodes, kinds).run(payments);
}
