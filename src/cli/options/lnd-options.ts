/** Options of `start` that name an LND node. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LndPlace } from '../../network/lnd/index.ts';
import { formatHostPort, parseHostPort } from '../../network/peer/index.ts';
import { UsageError } from '../client/client-arguments.ts';
import { lndMacaroonPath } from '../files/paths.ts';
import { readOrRefuse } from './option-values.ts';
import type { ChainName } from './start-options.ts';

/** Options of `--network lnd`. */
export const LND_OPTIONS = ['lnd-rpc', 'lnd-cert', 'lnd-macaroon', 'lnd-connect'] as const;

interface LndValues {
  readonly 'lnd-rpc'?: string | undefined;
  readonly 'lnd-cert'?: string | undefined;
  readonly 'lnd-macaroon'?: string | undefined;
  readonly 'lnd-connect'?: string | undefined;
}

/**
 * Where to find LND: its address and the paths of its certificate and our macaroon, or the path of a file with an
 * `lndconnect://` address.
 * @throws UsageError
 */
export function lndPlaceOf(values: LndValues, chain: ChainName): LndPlace {
  const { 'lnd-connect': connect, 'lnd-rpc': rpc = 'localhost:10009' } = values;
  const { 'lnd-cert': cert, 'lnd-macaroon': macaroon } = values;
  if (connect !== undefined) {
    const other = LND_OPTIONS.find((option) => option !== 'lnd-connect' && values[option] !== undefined);
    if (other !== undefined) throw new UsageError(`give --lnd-connect or --${other}, not both`);
    return { connectPath: resolve(connect) };
  }
  const { host, port } = readOrRefuse('lnd-rpc', rpc, parseHostPort);
  if (!/:\d+$/.test(rpc))
    throw new UsageError('--lnd-rpc must be HOST:PORT; LND listens on port 10009 by default');
  return {
    address: formatHostPort({ host, port }),
    certPath: resolve(cert ?? join(homedir(), '.lnd/tls.cert')),
    macaroonPath: resolve(macaroon ?? lndMacaroonPath(chain)),
  };
}
