/**
 * The entry point of this room: issuers in a simulated network, their offers, and their deliberate faults. The room is
 * above `offers`, because it uses the issuer's side of it. It is part of the simulation and is not used with a real
 * network.
 */

export { type SimulatedOffer, simulatedOffers } from './offers.ts';
export { openIssuers } from './open-issuers.ts';

/**
 * The path of the module that answers for the issuers of a simulated network. The simulation's thread loads
 * it. Threads run compiled code, even when this file itself is run as TypeScript (in tests).
 */
export function simulatedIssuersModule(): string {
  const built = import.meta.url.endsWith('.ts') ? '../../build/program/simulated-issuers/' : './';
  return new URL(`${built}module.js`, import.meta.url).href;
}
