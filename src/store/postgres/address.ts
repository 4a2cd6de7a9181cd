/**
 * The address of a PostgreSQL database, as given to `--store`:
 * postgres://ROLE[:PASSWORD]@HOST[:PORT][,HOST[:PORT]...]/DATABASE[?sslmode=MODE&sslrootcert=FILE].
 *
 * The options have the same meaning as in PostgreSQL's own programs (libpq, "SSL Mode Descriptions"). Without
 * `sslmode`, connections to other machines are encrypted, and the server must prove its name (`verify-full`). This
 * matters because the journal contains secrets: preimages and session keys.
 */
import { hostAndPort } from '../../model/host-port.ts';
import { isLoopback } from '../../model/loopback.ts';
import { StoreError } from '../store-error.ts';

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const OPTIONS = ['sslmode', 'sslrootcert'];
const SCHEMES = ['postgres:', 'postgresql:'];
const DEFAULT_PORT = 5432;
/** Maximum number of hosts, all of which are tried in turn within one time limit. */
const MAX_HOSTS = 8;

/** How a connection is encrypted, and what the server must prove. */
export type SslMode = (typeof SSL_MODES)[number];

/** One server in the address's list. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

/** The location of a database, and the role to use. */
export interface PostgresAddress {
  /** At least one host. The first host found to be the primary is used. */
  readonly hosts: readonly PostgresHost[];
  readonly role: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** File with the trusted authorities' certificates (PEM). Undefined if the authorities trusted by Node.js suffice. */
  readonly sslRootCert: string | undefined;
  /** The address without the password, for messages. */
  readonly shown: string;
}

/** Whether this is the address of a PostgreSQL database. */
export const isPostgresAddress = (text: string): boolean =>
  SCHEMES.some((scheme) => text.startsWith(`${scheme}//`));

/** Parses an address. @throws StoreError unavailable; its message never contains the password */
export function parsePostgresAddress(text: string): PostgresAddress {
  const [, before, list, after] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(text) ?? [];
  // The class `URL` supports only one host, so the list of hosts is parsed separately.
  const url =
    list !== undefined && URL.canParse(`${before}h${after}`) ? new URL(`${before}h${after}`) : undefined;
  if (url === undefined || !SCHEMES.includes(url.protocol)) throw malformed();
  const shown = `${url.protocol}//${url.username}@${list}${url.pathname}`;
  const [role, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  if (role === '' || list === '' || database === '') {
    throw new StoreError('unavailable', shown, 'must name a role, a host and a database');
  }
  const hosts = list!.split(',').map((one) => hostOf(one, shown));
  if (hosts.length > MAX_HOSTS) {
    throw new StoreError('unavailable', shown, `names ${hosts.length} hosts; the maximum is ${MAX_HOSTS}`);
  }
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new StoreError('unavailable', shown, `has an unknown option ${unknown}`);
  const asked = url.searchParams.get('sslmode') ?? (hosts.every(isLocal) ? 'disable' : 'verify-full');
  const sslMode = SSL_MODES.find((mode) => mode === asked);
  if (sslMode === undefined) {
    throw new StoreError('unavailable', shown, `sslmode must be one of ${SSL_MODES.join(', ')}`);
  }
  return {
    hosts,
    role: role!,
    password: password === '' ? undefined : password,
    database: database!,
    sslMode,
    sslRootCert: url.searchParams.get('sslrootcert') ?? undefined,
    shown,
  };
}

const malformed = (): StoreError =>
  new StoreError('unavailable', 'the store', 'must have the form postgres://ROLE@HOST/DATABASE');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

function hostOf(text: string, shown: string): PostgresHost {
  const host = hostAndPort(text, DEFAULT_PORT);
  if (host === undefined) throw new StoreError('unavailable', shown, `has a malformed host ${text}`);
  return host;
}

const isLocal = ({ host }: PostgresHost): boolean => isLoopback(host);
