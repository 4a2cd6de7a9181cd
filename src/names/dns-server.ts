/**
 * The configured resolver, in one of three forms:
 *
 *     192.0.2.1, dns://192.0.2.1:5353   a recursive resolver over TCP (RFC 7766)
 *     https://dns.example/dns-query     a recursive resolver over HTTPS (RFC 8484)
 *     proof+https://host/dnssecproof    a server of RFC 9102 proofs, asked with ?d=NAME&t=TXT
 *
 * None of them is trusted: their answers are proven from the root down. They can only withhold an answer, and see which
 * names are resolved. Every answer has a maximum size and time.
 */
import { randomInt } from 'node:crypto';
import { connect, isIP, type Socket } from 'node:net';
import { isLoopback } from '../model/loopback.ts';
import { type DnsName, nameBytes, nameText } from './dns-name.ts';
import { type DnsAnswer, readAnswer } from './dns-record.ts';
import { NameError } from './name-error.ts';

/** Where to send queries. */
export type ResolverPlace =
  | { readonly kind: 'dns'; readonly host: string; readonly port: number }
  | { readonly kind: 'https'; readonly url: string }
  | { readonly kind: 'proof'; readonly url: string };

const DNS_PORT = 53;
const PROOF_PREFIX = 'proof+';
const MAX_ANSWER_BYTES = 65_535;
/** An OPT record (RFC 6891) with the flag DO, which requests signatures. */
const OPT = { type: 41, payloadBytes: 65_535, dnssecOk: 0x8000 };
/** Flags of a query. RD requests recursion. CD means that we check signatures ourselves, with our own clock. */
const QUERY_FLAGS = 0x0110;
const MESSAGE = 'application/dns-message';
const REFUSED = 5;
const SERVER_FAILURE = 2;

/** Parses the configured text. Returns an error text if it has none of the three forms. */
export function resolverPlace(text: string): ResolverPlace | string {
  const isProof = text.startsWith(PROOF_PREFIX);
  const url = isProof ? text.slice(PROOF_PREFIX.length) : text;
  if (/^https?:\/\//.test(url)) {
    if (!URL.canParse(url)) return 'should be a URL';
    const { protocol, hostname } = new URL(url);
    // Proofs and answers cannot be forged in transit, but without TLS others can read the queried names.
    const host = hostname.replace(/^\[|\]$/g, '');
    if (protocol === 'http:' && !isLoopback(host))
      return 'should begin with https:// (or http:// to this machine)';
    return { kind: isProof ? 'proof' : 'https', url };
  }
  if (isProof) return 'should be proof+https://HOST/PATH';
  const [, host, port] =
    /^(?:dns:\/\/)?(\[[0-9a-fA-F:.]+\]|[^:/]+|[0-9a-fA-F:]+:[0-9a-fA-F:.]+?)(?::(\d{1,5}))?$/.exec(text) ??
    [];
  const plain = host?.replace(/^\[|\]$/g, '');
  if (plain === undefined || (isIP(plain) === 0 && !isLoopback(plain))) {
    return 'should be an IP address, https://HOST/dns-query or proof+https://HOST/dnssecproof';
  }
  const number = port === undefined ? DNS_PORT : Number(port);
  if (number < 1 || number > 65_535) return 'should have a port from 1 to 65535';
  return { kind: 'dns', host: plain, port: number };
}

/** Queries a resolver. @throws NameError resolver */
export type AskDns = (name: DnsName, type: number, signal: AbortSignal) => Promise<DnsAnswer>;

/** Creates the query function for a recursive resolver. */
export function dnsAsker(place: Exclude<ResolverPlace, { kind: 'proof' }>): AskDns {
  return async (name, type, signal) => {
    const query = queryOf(name, type, place.kind === 'dns' ? randomInt(0x1_0000) : 0);
    const bytes =
      place.kind === 'dns' ? await askTcp(place, query, signal) : await askHttps(place.url, query, signal);
    const answer = readAnswer(bytes);
    if (answer.id !== query.readUInt16BE(0))
      throw new NameError('resolver', 'the resolver answered a different question');
    if (answer.isTruncated) throw new NameError('resolver', 'the resolver truncated its answer');
    if (answer.code === SERVER_FAILURE || answer.code === REFUSED) {
      throw new NameError(
        'resolver',
        `the resolver could not look up ${nameText(name)} (code ${answer.code})`,
      );
    }
    return answer;
  };
}

/** Requests the proof of a TXT record from a proof server. @throws NameError absent, resolver */
export async function askProof(url: string, name: DnsName, signal: AbortSignal): Promise<Uint8Array> {
  const place = new URL(url);
  place.searchParams.set('d', nameText(name));
  place.searchParams.set('t', 'TXT');
  return fetchBytes(place.href, {}, signal);
}

function queryOf(name: DnsName, type: number, id: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(QUERY_FLAGS, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(1, 10);
  const question = Buffer.alloc(4);
  question.writeUInt16BE(type, 0);
  question.writeUInt16BE(1, 2);
  const opt = Buffer.alloc(11);
  opt.writeUInt16BE(OPT.type, 1);
  opt.writeUInt16BE(OPT.payloadBytes, 3);
  opt.writeUInt16BE(OPT.dnssecOk, 7);
  return Buffer.concat([head, nameBytes(name), question, opt]);
}

async function askTcp(
  { host, port }: { readonly host: string; readonly port: number },
  query: Buffer,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  const socket = connect({ host, port, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length);
    socket.end(Buffer.concat([length, query]));
    return await readMessage(socket);
  } catch (error) {
    if (error instanceof NameError || signal.aborted) throw error;
    throw new NameError(
      'resolver',
      `cannot reach the resolver ${host} port ${port}: ${(error as Error).message}`,
    );
  } finally {
    socket.destroy();
  }
}

async function readMessage(socket: Socket): Promise<Uint8Array> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0))
      return bytes.subarray(2, 2 + bytes.readUInt16BE(0));
  }
  throw new NameError('resolver', 'the resolver closed the connection without an answer');
}

async function askHttps(url: string, query: Buffer, signal: AbortSignal): Promise<Uint8Array> {
  return fetchBytes(
    url,
    { method: 'POST', headers: { 'content-type': MESSAGE, accept: MESSAGE }, body: new Uint8Array(query) },
    signal,
  );
}

async function fetchBytes(url: string, request: RequestInit, signal: AbortSignal): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { ...request, redirect: 'error', signal });
    if (response.status !== 200) {
      const fault = response.status === 404 ? 'absent' : 'resolver';
      throw new NameError(fault, `the resolver answered with HTTP status ${response.status}`);
    }
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > MAX_ANSWER_BYTES)
        throw new NameError('resolver', 'the answer of the resolver is too large');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof NameError || signal.aborted) throw error;
    const { message, cause } = error as Error & { cause?: Error };
    throw new NameError('resolver', `cannot reach the resolver: ${cause?.message ?? message}`);
  }
}
