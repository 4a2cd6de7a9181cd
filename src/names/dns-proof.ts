/**
 * Proves records by DNSSEC, from the root's keys down (RFC 4035 section 5). Selects the needed records from an
 * unordered collection, such as an RFC 9102 proof: the requested set, the keys of the zone that signed it, the
 * delegation to those keys, signed by the parent zone, and so on. Other records are ignored.
 *
 * Nothing is accepted without a signature, so records of an unsigned zone cannot be proven. The number of signature
 * checks is limited (KeyTrap, CVE-2023-50387), and zone names get shorter at each step, so the work is bounded.
 */
import { nsec3Denies, nsecDenies } from './dns-denial.ts';
import {
  type DnsName,
  isWithin,
  labelsOf,
  lastLabels,
  nameText,
  ofLabels,
  ROOT,
  readName,
} from './dns-name.ts';
import { type DnsRecord, RECORD_TYPE } from './dns-record.ts';
import {
  couldSign,
  countedLabels,
  type Delegation,
  delegationOf,
  isDelegated,
  isInForce,
  isMethodAccepted,
  isSignedBy,
  type Signature,
  signatureOf,
} from './dnssec-signature.ts';
import { NameError } from './name-error.ts';

/** The root's key-signing keys of 2017 and of 2024 (IANA, root-anchors.xml). */
export const ROOT_ANCHORS: readonly Delegation[] = [
  anchor('20326 8 2 e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d'),
  anchor('38696 8 2 683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16'),
];

/** Maximum number of signature checks. A proof needs about two per zone. */
const MAX_SIGNATURE_CHECKS = 64;
const MAX_ALIASES = 8;

/** A proven set of records. */
export interface ProvenSet {
  readonly records: readonly DnsRecord[];
  /** All records of the proof, parent zones first. */
  readonly proof: readonly DnsRecord[];
  /** Seconds for which the set may be cached: the shortest lifetime of all records and signatures of the proof. */
  readonly lifeSeconds: number;
}

/** Reads a delegation in the usual notation: key tag, algorithm, digest type, digest in hex. */
export function anchor(text: string): Delegation {
  const [keyTag, algorithm, digestType, ...digest] = text.trim().split(/\s+/);
  return {
    keyTag: Number(keyTag),
    algorithm: Number(algorithm),
    digestType: Number(digestType),
    digest: Buffer.from(digest.join(''), 'hex'),
  };
}

/** Finds and proves the records of one name and type, through aliases. @throws NameError absent, unsigned, invalid */
export function prove(
  heap: readonly DnsRecord[],
  name: DnsName,
  type: number,
  { anchors, nowSeconds }: { readonly anchors: readonly Delegation[]; readonly nowSeconds: number },
): ProvenSet {
  const prover = new Prover(heap, anchors, nowSeconds);
  let at = name;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
    const records = prover.find(at, type);
    if (records.length > 0) {
      prover.proveSet(at, type);
      return { records, proof: prover.proof, lifeSeconds: prover.lifeSeconds };
    }
    const target = prover.aliasOf(at);
    if (target === undefined)
      throw new NameError('absent', `${nameText(at)} has no record of the requested type`);
    at = target;
  }
  throw new NameError('absent', `${nameText(name)} leads through more than ${MAX_ALIASES} aliases`);
}

class Prover {
  readonly #sets = new Map<string, DnsRecord[]>();
  readonly #signatures = new Map<string, { record: DnsRecord; signature: Signature }[]>();
  readonly #proven = new Set<string>();
  readonly #anchors: readonly Delegation[];
  readonly #nowSeconds: number;
  readonly proof: DnsRecord[] = [];
  lifeSeconds = Number.POSITIVE_INFINITY;
  #checks = 0;

  constructor(heap: readonly DnsRecord[], anchors: readonly Delegation[], nowSeconds: number) {
    this.#anchors = anchors;
    this.#nowSeconds = nowSeconds;
    for (const record of heap) {
      if (record.type === RECORD_TYPE.rrsig) this.#keepSignature(record);
      else add(this.#sets, keyOf(record.name, record.type), record);
    }
  }

  find(name: DnsName, type: number): readonly DnsRecord[] {
    return this.#sets.get(keyOf(name, type)) ?? [];
  }

  /** The target of an alias, once proven (RFC 1034 section 3.6.2, RFC 6672). */
  aliasOf(name: DnsName): DnsName | undefined {
    // A resolver derives an unsigned CNAME from a DNAME. In this case, only the DNAME is proven.
    const cname = this.find(name, RECORD_TYPE.cname)[0];
    if (cname !== undefined && this.#signatures.has(keyOf(name, RECORD_TYPE.cname))) {
      this.proveSet(name, RECORD_TYPE.cname);
      return readName(cname.data, 0, false).name;
    }
    const labels = labelsOf(name);
    for (let count = labels.length - 1; count >= 0; count--) {
      const above = lastLabels(name, count);
      const dname = this.find(above, RECORD_TYPE.dname)[0];
      if (dname === undefined) continue;
      this.proveSet(above, RECORD_TYPE.dname);
      const target = labelsOf(readName(dname.data, 0, false).name);
      const renamed = ofLabels([...labels.slice(0, labels.length - count), ...target]);
      if (renamed.length > 255)
        throw new NameError('absent', `${nameText(name)} leads to a name that is too long`);
      return renamed;
    }
    return undefined;
  }

  /** Proves a set. @throws NameError unsigned, invalid */
  proveSet(name: DnsName, type: number): void {
    const key = keyOf(name, type);
    if (this.#proven.has(key)) return;
    const found = this.#signatures.get(key) ?? [];
    let problem = new NameError('unsigned', `the records of ${nameText(name)} are not signed`);
    for (const { record, signature } of found) {
      const objection = this.#objection(name, type, signature);
      if (objection !== undefined) {
        problem = objection;
        continue;
      }
      const records = this.find(name, type);
      this.#proveKeys(name, type, signature.signer);
      const keys = this.#keysOf(signature);
      if (keys.length === 0) {
        problem = new NameError(
          'invalid',
          `no trusted key of ${nameText(signature.signer)} made the signature`,
        );
        continue;
      }
      if (!this.#isSigned(records, signature, keys)) {
        throw new NameError(
          'invalid',
          `a signature of ${nameText(signature.signer)} does not match its records`,
        );
      }
      this.#use(records, record, signature);
      this.#proven.add(key);
      if (signature.labels < countedLabels(name)) this.#proveWildcard(name, signature);
      return;
    }
    throw problem;
  }

  #objection(name: DnsName, type: number, signature: Signature): NameError | undefined {
    const { signer, labels } = signature;
    if (!isWithin(name, signer) || labels > countedLabels(name) || labels < labelsOf(signer).length) {
      return new NameError('invalid', `${nameText(signer)} cannot sign ${nameText(name)}`);
    }
    // The delegation to a zone must be signed by its parent zone, not by the zone itself.
    const isAbove = type !== RECORD_TYPE.ds || signer !== name;
    if (!isAbove) return new NameError('invalid', `${nameText(name)} delegates to itself`);
    if (type === RECORD_TYPE.dnskey && signer !== name) {
      return new NameError('invalid', `keys of ${nameText(name)} are signed by another zone`);
    }
    if (!isMethodAccepted(signature)) {
      const method = `method ${signature.algorithm}`;
      return new NameError(
        'invalid',
        `${nameText(signer)} signs with ${method}, which is unknown or too weak`,
      );
    }
    if (!isInForce(signature, this.#nowSeconds)) {
      return new NameError(
        'invalid',
        `a signature of ${nameText(signer)} has expired or is not yet in force`,
      );
    }
    return undefined;
  }

  /**
   * Proves the keys of the zone that made a signature. At least one key that the parent zone names must sign all of
   * them.
   */
  #proveKeys(name: DnsName, type: number, signer: DnsName): void {
    if (type !== RECORD_TYPE.dnskey) {
      this.proveSet(signer, RECORD_TYPE.dnskey);
      return;
    }
    if (name !== ROOT) this.proveSet(name, RECORD_TYPE.ds);
  }

  /** Keys that could have made a signature. A set of keys can be signed only by keys that the parent zone names. */
  #keysOf(signature: Signature): readonly DnsRecord[] {
    const isKeys = signature.covered === RECORD_TYPE.dnskey;
    const keys = this.find(signature.signer, RECORD_TYPE.dnskey);
    return keys.filter((key) => couldSign(key, signature) && (!isKeys || this.#isNamedAbove(key)));
  }

  #isSigned(records: readonly DnsRecord[], signature: Signature, keys: readonly DnsRecord[]): boolean {
    return keys.some((key) => {
      if (++this.#checks > MAX_SIGNATURE_CHECKS) {
        throw new NameError('invalid', 'the proof needs too many signature checks');
      }
      return isSignedBy(records, signature, key);
    });
  }

  #isNamedAbove(key: DnsRecord): boolean {
    const delegations =
      key.name === ROOT
        ? this.#anchors
        : this.find(key.name, RECORD_TYPE.ds)
            .map(delegationOf)
            .filter((one) => one !== undefined);
    return delegations.some((one) => isDelegated(key, one));
  }

  /**
   * Proves that a name whose records come from a wildcard does not exist itself, nor any name between it and the
   * wildcard (RFC 4035 section 5.3.4).
   */
  #proveWildcard(name: DnsName, { labels, signer }: Signature): void {
    const closer = lastLabels(name, labels + 1);
    for (const type of [RECORD_TYPE.nsec, RECORD_TYPE.nsec3]) {
      for (const [key, records] of this.#sets) {
        const record = records[0] as DnsRecord;
        if (record.type !== type || records.length !== 1 || !this.#signatures.has(key)) continue;
        if (!isWithin(record.name, signer)) continue;
        const denies =
          type === RECORD_TYPE.nsec ? nsecDenies(record, closer) : nsec3Denies(record, closer, signer);
        if (!denies || !this.#isOwnDenial(record, signer)) continue;
        this.proveSet(record.name, type);
        return;
      }
    }
    const message = `there is no proof that ${nameText(name)} may be answered by a wildcard`;
    throw new NameError('unsigned', message);
  }

  /** Whether a proof of absence comes from this zone, and not from a wildcard. */
  #isOwnDenial(record: DnsRecord, zone: DnsName): boolean {
    const found = this.#signatures.get(keyOf(record.name, record.type)) ?? [];
    return found.every(
      ({ signature }) => signature.signer === zone && signature.labels === countedLabels(record.name),
    );
  }

  #use(records: readonly DnsRecord[], record: DnsRecord, signature: Signature): void {
    const left = (signature.expiration - this.#nowSeconds) | 0;
    const lives = records.map(({ ttlSeconds }) => Math.min(ttlSeconds, signature.originalTtl));
    this.lifeSeconds = Math.min(this.lifeSeconds, left, ...lives);
    this.proof.push(...records, record);
  }

  #keepSignature(record: DnsRecord): void {
    const signature = signatureOf(record);
    if (signature === undefined) return;
    const kept = this.#signatures.get(keyOf(record.name, signature.covered)) ?? [];
    kept.push({ record, signature });
    this.#signatures.set(keyOf(record.name, signature.covered), kept);
  }
}

function keyOf(name: DnsName, type: number): string {
  return `${type} ${name}`;
}

function add(sets: Map<string, DnsRecord[]>, key: string, record: DnsRecord): void {
  const records = sets.get(key);
  if (records === undefined) sets.set(key, [record]);
  else records.push(record);
}
