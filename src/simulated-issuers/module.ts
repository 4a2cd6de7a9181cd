/** The issuers of a simulated network that runs in a separate thread. That thread loads this module. */
import type { NetworkThreadData } from '../network/simulated/index.ts';
import type { SimulatedIssuers } from './issuers.ts';
import { openIssuers } from './open-issuers.ts';

/** Opens the issuers of a network. @throws StoreError when their stored state cannot be used */
export const open = ({ map, journalPath, recover }: NetworkThreadData): Promise<SimulatedIssuers> =>
  openIssuers(map, journalPath, recover);
