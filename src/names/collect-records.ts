/**
 * Collects from a recursive resolver the records that prove a TXT record: the answer, and the keys and delegations of
 * each zone that signed a part of it, up to the root. The resolver need not be trusted.
 */
import { type DnsName, isWithin, ROOT, readName } from './dns-name.ts';
import { type DnsRecord, RECORD_TYPE } from './dns-record.ts';
import type { AskDns } from './dns-server.ts';
import { signatureOf } from './dnssec-signature.ts';
import { NameError } from './name-error.ts';

/** Maximum number of queries. A proof needs two per zone on the way to the name, and one per alias. */
const MAX_QUESTIONS = 40;
const MAX_RECORDS = 1000;

/** Queries the resolver until no records are missing. @returns all records received @throws NameError */
export async function collectRecords(name: DnsName, ask: AskDns, signal: AbortSignal): Promise<DnsRecord[]> {
  const heap = new Map<string, DnsRecord>();
  const asked = new Set<string>();
  const waiting: (readonly [DnsName, number])[] = [];
  const want = (owner: DnsName, type: number): void => {
    const key = `${type} ${owner}`;
    if (asked.has(key)) return;
    asked.add(key);
    waiting.push([owner, type]);
  };
  want(name, RECORD_TYPE.txt);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (asked.size > MAX_QUESTIONS) throw new NameError('resolver', 'the answer needs too many queries');
    const { records } = await ask(...next, signal);
    for (const record of records) {
      heap.set(`${record.type} ${record.name} ${Buffer.from(record.data).toString('latin1')}`, record);
      wantWhatProves(record, want);
    }
    if (heap.size > MAX_RECORDS) throw new NameError('resolver', 'the answer has too many records');
    if (waiting.length === 0) followAlias(heap, want);
  }
  return [...heap.values()];
}

type Want = (owner: DnsName, type: number) => void;

function wantWhatProves(record: DnsRecord, want: Want): void {
  if (record.type !== RECORD_TYPE.rrsig) return;
  const signer = signatureOf(record)?.signer;
  if (signer === undefined || !isWithin(record.name, signer)) return;
  want(signer, RECORD_TYPE.dnskey);
  if (signer !== ROOT) want(signer, RECORD_TYPE.ds);
}

/** Requests the TXT records at the target of each alias. */
function followAlias(heap: ReadonlyMap<string, DnsRecord>, want: Want): void {
  for (const { type, data } of heap.values()) {
    if (type === RECORD_TYPE.cname) want(readName(data, 0, false).name, RECORD_TYPE.txt);
  }
}
