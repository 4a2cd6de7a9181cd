/** Human-readable names (BIP 353), proven by DNSSEC. */
export { anchor } from './dns-proof.ts';
export { type ResolverPlace, resolverPlace } from './dns-server.ts';
export type { Delegation } from './dnssec-signature.ts';
export { NameResolver, type ResolvedName } from './name-resolver.ts';
