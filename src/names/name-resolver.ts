/**
 * Resolves human-readable names NAME@DOMAIN (BIP 353): the TXT record of `NAME.user._bitcoin-payment.DOMAIN`, proven by
 * DNSSEC from the root's keys. Proven results are cached for as long as their records and signatures permit, but at
 * most an hour.
 */
import { type Clock, type Moment, momentOf } from '../model/clock.ts';
import { FulguriteError } from '../model/errors.ts';
import { collectRecords } from './collect-records.ts';
import { type DnsName, dnsName } from './dns-name.ts';
import { prove, ROOT_ANCHORS } from './dns-proof.ts';
import { type DnsRecord, RECORD_TYPE, readProof, txtOf, writeProof } from './dns-record.ts';
import { askProof, dnsAsker, type ResolverPlace } from './dns-server.ts';
import type { Delegation } from './dnssec-signature.ts';
import { NameError } from './name-error.ts';
import { type PaymentInstructions, readInstructions } from './payment-instructions.ts';

/** The resolved instructions of a name, with the proof. */
export interface ResolvedName extends PaymentInstructions {
  /** The records that prove the instructions, as an `AuthenticationChain` (RFC 9102). */
  readonly proof: Uint8Array;
}

/** Options of a resolver. */
export interface NameResolverOptions {
  readonly place: ResolverPlace;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** Trusted keys of the DNS root. Default: `ROOT_ANCHORS`. */
  readonly anchors?: readonly Delegation[] | undefined;
  /** Maximum time per name, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_AT_ONCE = 32;
const MAX_KEPT = 1000;
const MAX_LIFE_SECONDS = 3600;

/** A cached result, when it was proven, and for how long it may be used. */
interface KeptName {
  readonly found: ResolvedName;
  readonly at: Moment;
  readonly lifeMs: number;
}

/** Resolves names. Concurrent requests for the same name share one lookup. */
export class NameResolver {
  readonly #options: NameResolverOptions;
  readonly #abort = new AbortController();
  readonly #running = new Map<string, Promise<ResolvedName>>();
  readonly #kept = new Map<string, KeptName>();

  constructor(options: NameResolverOptions) {
    this.#options = options;
  }

  /** Resolves NAME@DOMAIN. @throws FulguriteError nameUnresolved, with `data.reason` (a {@link NameFault}) */
  async resolve(name: string, domain: string): Promise<ResolvedName> {
    try {
      return await this.#resolve(dnsName(`${name}.user._bitcoin-payment.${domain}`));
    } catch (error) {
      const { fault, message } = this.#failure(error);
      throw new FulguriteError('nameUnresolved', `BIP353: ${name}@${domain}: ${message}`, { reason: fault });
    }
  }

  close(): void {
    this.#abort.abort();
  }

  async #resolve(owner: DnsName): Promise<ResolvedName> {
    const kept = this.#kept.get(owner);
    if (kept !== undefined && this.#isFresh(kept)) return kept.found;
    this.#kept.delete(owner);
    const running = this.#running.get(owner);
    if (running !== undefined) return running;
    if (this.#running.size >= MAX_AT_ONCE) throw new NameError('busy', 'too many names are being resolved');
    const search = this.#search(owner).finally(() => this.#running.delete(owner));
    this.#running.set(owner, search);
    return search;
  }

  async #search(owner: DnsName): Promise<ResolvedName> {
    const { place, clock, anchors = ROOT_ANCHORS, timeoutMs = TIMEOUT_MS } = this.#options;
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(timeoutMs)]);
    const heap = await recordsFrom(place, owner, signal);
    const at = momentOf(clock);
    const { records, proof, lifeSeconds } = prove(heap, owner, RECORD_TYPE.txt, {
      ...{ anchors, nowSeconds: Math.floor(at.unixMs / 1000) },
    });
    const texts = records.map(({ data }) => txtOf(data)).filter((text) => text !== undefined);
    const found = { ...readInstructions(texts), proof: writeProof(proof) };
    this.#keep(owner, { found, at, lifeMs: 1000 * Math.min(lifeSeconds, MAX_LIFE_SECONDS) });
    return found;
  }

  /**
   * Whether a result may still be used. The clock that has advanced more decides: the system's clock may be set back, and
   * the monotonic clock stands still while the machine is suspended.
   */
  #isFresh({ at, lifeMs }: KeptName): boolean {
    const { unixMs, monotonicMs } = momentOf(this.#options.clock);
    return Math.max(unixMs - at.unixMs, monotonicMs - at.monotonicMs) < lifeMs;
  }

  #keep(owner: DnsName, kept: KeptName): void {
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(owner, kept);
  }

  #failure(error: unknown): Pick<NameError, 'fault' | 'message'> {
    if (error instanceof NameError) return error;
    if (this.#abort.signal.aborted) return { fault: 'resolver', message: 'the node is stopping' };
    const isLate =
      error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError');
    if (isLate || (error as { code?: unknown }).code === 'ABORT_ERR') {
      return { fault: 'resolver', message: 'the resolver did not answer in time' };
    }
    throw error;
  }
}

async function recordsFrom(place: ResolverPlace, owner: DnsName, signal: AbortSignal): Promise<DnsRecord[]> {
  if (place.kind === 'proof') return readProof(await askProof(place.url, owner, signal));
  return collectRecords(owner, dnsAsker(place), signal);
}
