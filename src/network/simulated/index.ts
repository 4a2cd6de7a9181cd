/** The entry point of the simulated network. */
export type { HtlcOffer } from './htlc.ts';
export { InProcessPort } from './in-process-port.ts';
export type { MessageHandler, ReceivedContent } from './message-flow.ts';
export type { NetworkThreadData } from './messages.ts';
export { type NetworkMap, networkMapOf, withAddedNodes } from './network-map.ts';
export type { Trait } from './nodes.ts';
export type {
  BalanceModel,
  FaultRates,
  OwnChannelPlan,
  OwnChannelsByRank,
  SimulationOptions,
} from './options.ts';
export { OwnNodePort } from './own/own-node-port.ts';
export { SimulatedReceiver } from './own/own-receiver.ts';
export { makeTicket, NONCE_BYTES, ticketPreimage } from './own/payment-ticket.ts';
export type { SimulatedInvoice } from './own/receiving.ts';
export type { InvoiceWishes } from './own/simulated-invoice.ts';
export { SharedHost } from './shared/shared-host.ts';
export { connectSharedNetwork, type SharedLink } from './shared/shared-link.ts';
export { type ReceivedPayment, Simulation, type SimulationStats } from './simulation.ts';
export {
  openSimulatedNetwork,
  prepareSimulatedNetwork,
  type SimulatedNetworkOptions,
  WorkerPort,
} from './worker-port.ts';
