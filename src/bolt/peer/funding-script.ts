/**
 * The output that funds a channel (BOLT 3, "Funding Transaction Output"): P2WSH of a 2-of-2 multisig script with both
 * keys.
 */

import { compareBytes, concatBytes } from '../bytes.ts';
import { sha256 } from '../crypto/hashes.ts';

const OP_0 = 0x00;
const OP_2 = 0x52;
const OP_CHECKMULTISIG = 0xae;
const PUSH_32 = 0x20;
const PUSH_33 = 0x21;

/** The scriptPubKey for two compressed keys, given in any order. */
export function fundingScript(keyA: Uint8Array, keyB: Uint8Array): Uint8Array {
  const [first, second] = compareBytes(keyA, keyB) < 0 ? [keyA, keyB] : [keyB, keyA];
  const witnessScript = concatBytes(
    Uint8Array.of(OP_2, PUSH_33),
    first,
    Uint8Array.of(PUSH_33),
    second,
    Uint8Array.of(OP_2, OP_CHECKMULTISIG),
  );
  return concatBytes(Uint8Array.of(OP_0, PUSH_32), sha256(witnessScript));
}
