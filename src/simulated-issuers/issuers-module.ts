/** Where the module of the issuers is. */

/**
 * The path of the module that answers for the issuers of a simulated network. The simulation's thread loads
 * it. Threads run compiled code, even when this file itself is run as TypeScript (in tests).
 */
export function simulatedIssuersModule(): string {
  const built = import.meta.url.endsWith('.ts') ? '../../build/program/simulated-issuers/' : './';
  return new URL(`${built}module.js`, import.meta.url).href;
}
