/**
 * The address of a PostgreSQL database, as `--store` takes it: postgres://ROLE[:PASSWORD]@HOST[:PORT]/DATABASE.
 *
 * Without `sslmode` a connection beyond this machine is encrypted, and the server must prove its name
 * (`verify-full`). The journal holds preimages and session keys, which are money.
 */
import { StoreError } from '../store-error.ts';

const SSL_MODES = ['disable', 'require', 'verify-full'] as const;
const SCHEMES = ['postgres:', 'postgresql:'];
const DEFAULT_PORT = 5432;

/** Where a database is, and as whom to go there. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly role: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly sslMode: (typeof SSL_MODES)[number];
  /** The address without the password, for messages. */
  readonly shown: string;
}

/** Whether a store's address is one of PostgreSQL. */
export const isPostgresAddress = (text: string): boolean =>
  SCHEMES.some((scheme) => text.startsWith(`${scheme}//`));

/** Reads an address. @throws StoreError unavailable; its message never has the password */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !SCHEMES.includes(url.protocol)) {
    throw new StoreError('unavailable', 'the store', 'is to be postgres://ROLE@HOST/DATABASE');
  }
  const [role, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  const database = decodeURIComponent(url.pathname.slice(1));
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const shown = `${url.protocol}//${url.username}@${url.host}${url.pathname}`;
  if (role === '' || host === '' || database === '') {
    throw new StoreError('unavailable', shown, 'names no role, host or database');
  }
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknown !== undefined) throw new StoreError('unavailable', shown, `has an unknown option ${unknown}`);
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  const asked = url.searchParams.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full');
  const sslMode = SSL_MODES.find((mode) => mode === asked);
  if (sslMode === undefined) {
    throw new StoreError('unavailable', shown, `sslmode is one of ${SSL_MODES.join(', ')}`);
  }
  return {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    role,
    password: password === '' ? undefined : password,
    database,
    sslMode,
    shown,
  };
}
