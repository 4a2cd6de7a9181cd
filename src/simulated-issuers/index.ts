/**
 * The entry point of this room: issuers in a simulated network, their offers, and their deliberate faults. This room is
 * above the room `offers`, because it uses the issuer's side of offers. It is part of the simulation and never used
 * with a real network.
 */

export { simulatedIssuersModule } from './issuers-module.ts';
export { type SimulatedOffer, simulatedOffers } from './offers.ts';
export { openIssuers } from './open-issuers.ts';
