/**
 * The door of this room: issuers in a simulated network, their offers, and what they do wrong on purpose. It stands
 * above `offers`, whose issuer's side it uses, and is part of the simulation: no real network has any of it.
 */
export { type SimulatedOffer, simulatedOffers } from './offers.ts';

/**
 * The module that answers for a simulated network's issuers, for its thread. Threads run compiled code, also when
 * this file is read as TypeScript (in tests).
 */
export function simulatedIssuersModule(): string {
  const built = import.meta.url.endsWith('.ts') ? '../../build/src/simulated-issuers/' : './';
  return new URL(`${built}module.js`, import.meta.url).href;
}
