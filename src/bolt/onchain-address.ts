/**
 * On-chain addresses in text form, and their scripts: base58 for hashes of keys and scripts, bech32 for witness
 * programs of version 0 (BIP-173), bech32m for later versions (BIP-350).
 */

import { bech32, bech32m, createBase58check } from '@scure/base';
import { concatBytes } from './bytes.ts';
import { HASH_BYTES, sha256 } from './crypto/hashes.ts';
import type { FallbackAddress } from './invoice/bolt12-fields.ts';

/** Prefix of a chain's bech32 addresses: mainnet, the testnets and signet, regtest. */
export type AddressPrefix = 'bc' | 'tb' | 'bcrt';

/** BOLT 11's version number for a pay-to-public-key-hash address, which is not a witness program. */
export const P2PKH_VERSION = 17;

/** BOLT 11's version number for a pay-to-script-hash address. */
export const P2SH_VERSION = 18;

const HASH160_BYTES = 20;
const base58check = createBase58check((bytes: Uint8Array) => sha256(bytes));
/** Version bytes of base58 addresses, on mainnet and on all other chains. */
const BASE58_BYTES = { main: { p2pkh: 0x00, p2sh: 0x05 }, other: { p2pkh: 0x6f, p2sh: 0xc4 } } as const;

/** Whether an address of this version may have this length (BIP-141, BIP-341). Base58 addresses have 20 bytes. */
export function isAddressLength(version: number, length: number): boolean {
  if (version > P2SH_VERSION) return false;
  if (version >= P2PKH_VERSION) return length === HASH160_BYTES;
  if (version === 0) return length === HASH160_BYTES || length === HASH_BYTES;
  if (version === 1) return length === HASH_BYTES;
  return length >= 2 && length <= 40;
}

/** The address as text. The length of the address must be valid for its version. */
export function addressText({ version, address }: FallbackAddress, prefix: AddressPrefix): string {
  const { p2pkh, p2sh } = BASE58_BYTES[prefix === 'bc' ? 'main' : 'other'];
  if (version >= P2PKH_VERSION) {
    const first = version === P2PKH_VERSION ? p2pkh : p2sh;
    return base58check.encode(concatBytes(Uint8Array.of(first), address));
  }
  const coder = version === 0 ? bech32 : bech32m;
  return coder.encode(prefix, [version, ...coder.toWords(address)]);
}

/** The name of the address type, if the type has a name. */
export function addressType({ version, address }: FallbackAddress): string | undefined {
  if (version === P2PKH_VERSION) return 'P2PKH';
  if (version === P2SH_VERSION) return 'P2SH';
  if (version === 0) return address.length === HASH160_BYTES ? 'P2WPKH' : 'P2WSH';
  return version === 1 ? 'P2TR' : undefined;
}

/** The output script that pays to the address. */
export function addressScript({ version, address }: FallbackAddress): Uint8Array {
  const push = Uint8Array.of(address.length, ...address);
  if (version === P2PKH_VERSION) return concatBytes(OP_DUP_HASH160, push, OP_EQUALVERIFY_CHECKSIG);
  if (version === P2SH_VERSION) return concatBytes(OP_HASH160, push, OP_EQUAL);
  return concatBytes(Uint8Array.of(version === 0 ? 0 : OP_1 - 1 + version), push);
}

const OP_1 = 0x51;
const OP_HASH160 = Uint8Array.of(0xa9);
const OP_EQUAL = Uint8Array.of(0x87);
const OP_DUP_HASH160 = Uint8Array.of(0x76, 0xa9);
const OP_EQUALVERIFY_CHECKSIG = Uint8Array.of(0x88, 0xac);
