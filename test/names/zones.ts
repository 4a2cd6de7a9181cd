/** The signed zones of `test/vectors/dnssec.txt`, and a resolver for zones: DNS over TCP and HTTPS, and proofs. */
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import {
  type DnsName,
  dnsName,
  isWithin,
  labelsOf,
  lastLabels,
  nameBytes,
  ofLabels,
  readName,
} from '../../src/names/dns-name.ts';
import { type DnsRecord, RECORD_TYPE, readProof, writeProof } from '../../src/names/dns-record.ts';
import { signatureOf } from '../../src/names/dnssec-signature.ts';
import { vectors } from '../bolt/vectors.ts';

const all = vectors('dnssec');

/** Records of these vectors in a group, concatenated. */
export function zones(group: 'real' | 'made', ...parts: readonly string[]): DnsRecord[] {
  return parts.flatMap((part) => readProof(Buffer.from(all[group][part], 'hex')));
}

/** The text of one vector. */
export const vector = (group: string, name: string): string => all[group][name];

/** All zones made by dnspython. */
export const madeZones = (): DnsRecord[] =>
  zones('made', ...Object.keys(all.made).filter((part) => part !== 'anchor'));

/** A server for zones, with the queries that it received. */
export interface ZoneServer {
  readonly dns: string;
  readonly https: string;
  readonly proof: string;
  readonly asked: string[];
  records: readonly DnsRecord[];
  /** If set, replaces the honest answers. */
  answer: ((honest: Buffer) => Buffer | undefined) | undefined;
  close(): void;
}

/** Starts the server on loopback. */
export async function serveZones(records: readonly DnsRecord[]): Promise<ZoneServer> {
  const reply = (query: Buffer): Buffer | undefined => {
    const { name, end } = readName(query, 12, false);
    const type = query.readUInt16BE(end);
    server.asked.push(`${type} ${labelsOf(name).join('.')}`);
    const honest = message(query, end + 4, answersTo(server.records, name, type));
    return server.answer === undefined ? honest : server.answer(honest);
  };
  const tcp = createTcp({ allowHalfOpen: true }, (socket) => {
    let got = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk]);
      if (got.length < 2 || got.length < 2 + got.readUInt16BE(0)) return;
      const bytes = reply(got.subarray(2));
      if (bytes === undefined) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(bytes.length);
      socket.end(Buffer.concat([length, bytes]));
    });
  });
  const http = createHttp(async (request, response) => {
    const url = new URL(request.url as string, 'http://x');
    if (url.pathname === '/dnssecproof') {
      server.asked.push(`proof ${url.searchParams.get('d')} ${url.searchParams.get('t')}`);
      response.end(writeProof(server.records));
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const bytes = reply(Buffer.concat(parts));
    if (bytes !== undefined) response.end(bytes);
  });
  for (const one of [tcp, http]) await new Promise<void>((done) => one.listen(0, '127.0.0.1', done));
  const port = (one: { address(): unknown }): number => (one.address() as AddressInfo).port;
  const server: ZoneServer = {
    dns: `127.0.0.1:${port(tcp)}`,
    https: `http://127.0.0.1:${port(http)}/dns-query`,
    proof: `proof+http://127.0.0.1:${port(http)}/dnssecproof`,
    asked: [],
    records,
    answer: undefined,
    close() {
      tcp.close();
      http.close();
      http.closeAllConnections();
    },
  };
  return server;
}

/**
 * The answer of a resolver: the records with their signatures, an alias, or the wildcard's records and the denials.
 */
function answersTo(records: readonly DnsRecord[], name: DnsName, type: number): DnsRecord[] {
  const of = (owner: DnsName, wanted: number): DnsRecord[] =>
    records.filter(
      (one) =>
        one.name === owner &&
        (one.type === wanted || (one.type === RECORD_TYPE.rrsig && signatureOf(one)?.covered === wanted)),
    );
  const exact = of(name, type);
  if (exact.length > 0) return exact;
  const alias = of(name, RECORD_TYPE.cname);
  if (alias.length > 0) {
    const target = readName(
      (alias.find((one) => one.type === RECORD_TYPE.cname) as DnsRecord).data,
      0,
      false,
    ).name;
    return [...alias, ...answersTo(records, target, type)];
  }
  const labels = labelsOf(name);
  for (let count = labels.length - 1; count > 0; count--) {
    const above = lastLabels(name, count);
    const dname = of(above, RECORD_TYPE.dname);
    const [first] = dname.filter((one) => one.type === RECORD_TYPE.dname);
    if (first !== undefined) {
      const target = ofLabels([...labels.slice(0, -count), ...labelsOf(readName(first.data, 0, false).name)]);
      const made = { name, type: RECORD_TYPE.cname, ttlSeconds: 60, data: nameBytes(target) };
      return [...dname, made, ...answersTo(records, target, type)];
    }
    const wild = of(ofLabels(['*', ...labelsOf(above)]), type);
    const signer = wild
      .map((one) => one.type === RECORD_TYPE.rrsig && signatureOf(one)?.signer)
      .find(Boolean);
    if (wild.length === 0 || !signer) continue;
    const denials = records.filter((one) => one.type === RECORD_TYPE.nsec && isWithin(one.name, signer));
    return [
      ...wild.map((one) => ({ ...one, name })),
      ...denials.flatMap((one) => of(one.name, RECORD_TYPE.nsec)),
    ];
  }
  return [];
}

function message(query: Buffer, questionEnd: number, records: readonly DnsRecord[]): Buffer {
  const head = Buffer.from(query.subarray(0, questionEnd));
  head.writeUInt16BE(0x8180 | (records.length === 0 ? 3 : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, writeProof(records)]);
}

/** The TXT name of a human-readable name. */
export const txtName = (name: string, domain: string): DnsName =>
  dnsName(`${name}.user._bitcoin-payment.${domain}`);
