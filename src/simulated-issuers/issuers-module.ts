/** The URL of the module that simulates issuers. */

/**
 * The URL of the module that simulates the issuers of a network. The thread of the simulation loads it. Threads run
 * compiled code, even when this file itself runs as TypeScript (in tests).
 */
export function simulatedIssuersModule(): string {
  const built = import.meta.url.endsWith('.ts') ? '../../build/program/simulated-issuers/' : './';
  return new URL(`${built}module.js`, import.meta.url).href;
}
