/** The beginning of every message between peers (BOLT 1, "Lightning Message Format"): its type, u16. */
import { ByteReader } from '../bytes.ts';
import { WireError } from '../wire-error.ts';

/** A reader of the message's fields after its type. @throws WireError when the message has a different type */
export function startReading(bytes: Uint8Array, type: number): ByteReader {
  const reader = new ByteReader(bytes);
  const actual = reader.u16();
  if (actual !== type) throw new WireError('invalid', `message type ${actual}, not ${type}`);
  return reader;
}
