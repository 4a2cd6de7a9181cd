/**
 * The address of the bus, in the form of `--bus`:
 * tls://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...][?ca=FILE&cert=FILE&key=FILE&nkey=FILE&creds=FILE], or nats://… for
 * a connection in plain text.
 *
 * With `tls:`, the connection is encrypted, and the server must prove its name with a certificate. The authority that
 * issued the certificate must be trusted by Node.js or listed in the file `ca`. `cert` and `key` are the client's own
 * certificate. `nkey` is a file with the seed of a key, `creds` a file with a token and such a seed, as written by
 * NATS' tool `nsc`. Both authenticate the client without a password.
 */
import { readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate, type ConnectionOptions as TlsOptions } from 'node:tls';
import type { ConnectionOptions } from '@nats-io/transport-node';
import { hostAndPort } from '../model/host-port.ts';
import { isLoopback } from '../model/loopback.ts';
import { BusError } from './bus-error.ts';

const FILES = ['ca', 'cert', 'key', 'nkey', 'creds'] as const;
const DEFAULT_PORT = 4222;
const MAX_HOSTS = 8;
const FORM = 'must be the address of a NATS server: tls://HOST[:PORT], or nats://HOST[:PORT] in plain text';

/** The name of an address parameter whose value is a file. */
type BusFile = (typeof FILES)[number];

/** One server of the bus. */
export interface BusHost {
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The servers of the bus, and the login for them. */
export interface BusAddress {
  /** At least one server. The NATS client tries them in random order. */
  readonly hosts: readonly BusHost[];
  readonly isEncrypted: boolean;
  /** Whether all servers are on this machine. */
  readonly isLocal: boolean;
  readonly login: Pick<ConnectionOptions, 'user' | 'pass' | 'token'>;
  readonly files: Readonly<Partial<Record<BusFile, string>>>;
  /** The address without login and files, for messages. */
  readonly shown: string;
}

/** Reads an address. @throws BusError; its message begins with a verb and never contains the password */
export function parseBusAddress(text: string): BusAddress {
  const [, before, list, after] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(text) ?? [];
  // `URL` supports one host only, so the list is read separately.
  const form = `${before}h${after}`;
  const url = list !== undefined && list !== '' && URL.canParse(form) ? new URL(form) : undefined;
  const isEncrypted = url?.protocol === 'tls:';
  if (url === undefined || !(isEncrypted || url.protocol === 'nats:')) throw new BusError(FORM);
  const hosts = list!.split(',').map(hostOf);
  if (hosts.length > MAX_HOSTS)
    throw new BusError(`names ${hosts.length} hosts; the maximum is ${MAX_HOSTS}`);
  return {
    hosts,
    isEncrypted,
    isLocal: hosts.every(({ host }) => isLoopback(host)),
    login: loginOf(url),
    files: filesOf(url, isEncrypted),
    shown: `${url.protocol}//${list}`,
  };
}

/**
 * The reason why an address cannot be used, worded as the end of a sentence. Undefined if it can be used.
 * @param isPlainAllowed whether a connection to another machine may be unencrypted
 */
export function busProblem(text: string, isPlainAllowed: boolean): string | undefined {
  try {
    const { isEncrypted, isLocal: isHere, shown } = parseBusAddress(text);
    if (isEncrypted || isHere || isPlainAllowed) return undefined;
    return (
      `${shown} would send searches and the login to another machine in plain text: use tls://, or ` +
      '--bus-plaintext in a network that you trust'
    );
  } catch (error) {
    return (error as Error).message;
  }
}

/** The NATS client's TLS options. Undefined for plain text. @throws BusError when a file cannot be read */
export function encryptionOf({ isEncrypted, files, hosts }: BusAddress): TlsOptions | undefined {
  if (!isEncrypted) return undefined;
  const [ca, cert, key] = [files.ca, files.cert, files.key].map((file) => file && readBusFile(file));
  return {
    ...{ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    // For a server given by IP address, the client passes no name to Node.js, which then expects "localhost".
    checkServerIdentity: (_, certificate) => identityProblem(hosts, certificate),
  };
}

/** A server may prove any name in the list, because all of them are servers of this bus. */
function identityProblem(hosts: readonly BusHost[], certificate: PeerCertificate): Error | undefined {
  const problems = hosts.map(({ host }) => checkServerIdentity(host, certificate));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** The text of a file that the address names. @throws BusError when it cannot be read or is empty */
export function readBusFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new BusError(`cannot read the file of --bus: ${(error as Error).message}`);
  }
  if (text.trim() === '') throw new BusError(`the file ${file} of --bus is empty`);
  return text;
}

function loginOf({ username, password }: URL): BusAddress['login'] {
  if (username === '') return {};
  try {
    const user = decodeURIComponent(username);
    // As usual in NATS, a name without a password is a token.
    return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
  } catch {
    throw new BusError('has a login that is not percent-encoded');
  }
}

function filesOf({ searchParams, username, pathname, hash }: URL, isEncrypted: boolean): BusAddress['files'] {
  if (!['', '/'].includes(pathname) || hash !== '') throw new BusError(FORM);
  const names = [...searchParams.keys()];
  const unknown = names.find((name) => !FILES.includes(name as BusFile));
  if (unknown !== undefined)
    throw new BusError(`has an unknown option ${unknown}; the options are ${FILES.join(', ')}`);
  const given = Object.fromEntries(searchParams) as Partial<Record<BusFile, string>>;
  const { ca, cert, key, nkey, creds } = given;
  const empty = FILES.find((name) => given[name] === '');
  if (empty !== undefined) throw new BusError(`has the option ${empty} without a file`);
  if (!isEncrypted && (ca ?? cert ?? key) !== undefined)
    throw new BusError('has ca, cert or key, which require tls://');
  if ((cert === undefined) !== (key === undefined)) throw new BusError('has only one of cert and key');
  if ([username !== '', nkey !== undefined, creds !== undefined].filter(Boolean).length > 1) {
    throw new BusError('has more than one of USER:PASSWORD, nkey and creds');
  }
  return given;
}

function hostOf(text: string): BusHost {
  const host = hostAndPort(text, DEFAULT_PORT);
  if (host === undefined) throw new BusError(`has a malformed host ${text}`);
  return host;
}
