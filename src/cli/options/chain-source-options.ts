/** Options of `start` that choose the source from which the peer network gets block heights and verifies channels. */
import type { BitcoindOptions } from '../../chain/bitcoind.ts';
import { UsageError } from '../client/client-arguments.ts';
import { httpUrl } from './option-values.ts';

/** How to reach bitcoind's RPC, or an Esplora server. */
export type ChainSourceOptions =
  | ({ readonly kind: 'bitcoind' } & BitcoindOptions)
  | { readonly kind: 'esplora'; readonly url: string };

interface ChainSourceValues {
  readonly 'bitcoin-rpcurl'?: string | undefined;
  readonly 'bitcoin-rpcuser'?: string | undefined;
  readonly 'bitcoin-rpcpassword'?: string | undefined;
  readonly 'bitcoin-rpccookie'?: string | undefined;
  readonly esplora?: string | undefined;
}

/** The chain source. Undefined when none was given. @throws UsageError */
export function chainSourceOf(values: ChainSourceValues): ChainSourceOptions | undefined {
  const { 'bitcoin-rpcurl': rpcUrl, 'bitcoin-rpccookie': cookiePath, esplora } = values;
  const { 'bitcoin-rpcuser': user, 'bitcoin-rpcpassword': password } = values;
  if (rpcUrl === undefined) {
    if (cookiePath !== undefined || user !== undefined || password !== undefined) {
      throw new UsageError('a login for bitcoind requires --bitcoin-rpcurl');
    }
    return esplora === undefined ? undefined : { kind: 'esplora', url: httpUrl('esplora', esplora) };
  }
  if (esplora !== undefined) throw new UsageError('give --bitcoin-rpcurl or --esplora, not both');
  if ((user === undefined) !== (password === undefined)) {
    throw new UsageError('give both --bitcoin-rpcuser and --bitcoin-rpcpassword');
  }
  if (user !== undefined && cookiePath !== undefined) {
    throw new UsageError('give --bitcoin-rpccookie or --bitcoin-rpcuser, not both');
  }
  const login = user === undefined || password === undefined ? undefined : { user, password };
  return { kind: 'bitcoind', url: httpUrl('bitcoin-rpcurl', rpcUrl), login, cookiePath };
}
