/** The entry point of the `none` network. */
export { NoneNetwork, type NoneNetworkOptions } from './none-network.ts';
