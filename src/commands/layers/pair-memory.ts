/** Our node's memory of pairs of nodes, for the commands that read and fill it. */
import { FulguriteError } from '../../model/errors.ts';
import type { NetworkPort, PairMemory } from '../../network/port.ts';

/** @throws FulguriteError notSupported if the node does not report what it learned */
export function pairMemoryOf({ pairMemory, kind }: Pick<NetworkPort, 'pairMemory' | 'kind'>): PairMemory {
  if (pairMemory !== undefined) return pairMemory;
  throw new FulguriteError(
    'notSupported',
    `Only an LND node has a mission control, and the network is ${kind}`,
  );
}
