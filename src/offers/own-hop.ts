/**
 * Our own hop of a blinded path: its instructions, and where the path continues (BOLT 4, "Route Blinding"). If a path
 * begins at our node, we open our hop, and use the path from the next node on.
 */
import { type BlindedPath, nextPathKey, openRecipientData, pathSecret } from '../bolt/onion/blinded-path.ts';
import { decodeEncryptedData, type EncryptedData } from '../bolt/onion/encrypted-data.ts';

/** The contents of our hop at the start of a path. */
export interface OwnHop {
  readonly data: EncryptedData;
  /** Path key for the next node. */
  readonly nextPathKey: Uint8Array;
}

/** Opens our hop. @throws WireError if the path was not made for us */
export function openOwnHop(
  secretKey: Uint8Array,
  { firstPathKey, hops }: Pick<BlindedPath, 'firstPathKey' | 'hops'>,
): OwnHop {
  const secret = pathSecret(secretKey, firstPathKey);
  const data = decodeEncryptedData(openRecipientData(secret, hops[0]!.encryptedRecipientData));
  return { data, nextPathKey: data.nextPathKeyOverride ?? nextPathKey(firstPathKey, secret) };
}
