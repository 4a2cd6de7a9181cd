/** The entry point of several nodes with one purse. */
export { LatePort } from './late-port.ts';
export {
  DEFAULT_NODE_SETTINGS,
  HIGHEST_PRICE_PPM,
  LOWEST_PRICE_PPM,
  type MakeInvoice,
  NODE_STATES,
  type NodeState,
  OwnNode,
  type OwnNodeSettings,
  type WhyResting,
} from './own-node.ts';
export { OwnNodes, type SaveSettings } from './own-nodes.ts';
export type { HtlcSums } from './recent-htlcs.ts';
export { SeveralNetwork } from './several-network.ts';
