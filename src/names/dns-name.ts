/**
 * Domain names in canonical form (RFC 4034 section 6.2): wire format, uncompressed, ASCII letters in lower case. Stored
 * as a string with one character per byte, so that names can be compared and used as keys of a map: `\x03com\x00` is
 * `com.`.
 */
import { NameError } from './name-error.ts';

/** A domain name in canonical wire format. */
export type DnsName = string;

/** The root name. */
export const ROOT: DnsName = '\0';

/** Maximum size of a label in bytes (RFC 1035 section 2.3.4). */
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;
const POINTER = 0xc0;

/**
 * Reads a name in the usual notation, without escapes.
 * @throws NameError if a label is empty or too long, or the name is too long
 */
export function dnsName(text: string): DnsName {
  const labels = text.replace(/\.$/, '').split('.');
  if (labels.some((label) => label.length === 0 || label.length > MAX_LABEL_BYTES)) {
    throw new NameError(
      'absent',
      `${text} is not a domain name: a label is empty or longer than 63 characters`,
    );
  }
  const name = ofLabels(labels.map((label) => label.toLowerCase()));
  if (name.length > MAX_NAME_BYTES) throw new NameError('absent', `${text} is too long for a domain name`);
  return name;
}

/** A name in the usual notation, for messages. Dots and backslashes in labels, and unprintable bytes, are escaped. */
export function nameText(name: DnsName): string {
  const escaped = labelsOf(name).map((label) =>
    label.replace(/[^!-~]|[.\\]/g, (one) => `\\${String(one.charCodeAt(0)).padStart(3, '0')}`),
  );
  return `${escaped.join('.')}.`;
}

/** The labels of a name, from left to right. The root has none. */
export function labelsOf(name: DnsName): string[] {
  const labels: string[] = [];
  for (let at = 0; name.charCodeAt(at) !== 0; at += 1 + name.charCodeAt(at)) {
    labels.push(name.slice(at + 1, at + 1 + name.charCodeAt(at)));
  }
  return labels;
}

/** The name with these labels. */
export function ofLabels(labels: readonly string[]): DnsName {
  return `${labels.map((label) => String.fromCharCode(label.length) + label).join('')}\0`;
}

/** The name formed by the last `count` labels. */
export function lastLabels(name: DnsName, count: number): DnsName {
  const labels = labelsOf(name);
  return ofLabels(labels.slice(labels.length - count));
}

/** Whether a name is the zone's own name or below it. */
export function isWithin(name: DnsName, zone: DnsName): boolean {
  const [inner, outer] = [labelsOf(name), labelsOf(zone)];
  return inner.length >= outer.length && lastLabels(name, outer.length) === zone;
}

/** Canonical order (RFC 4034 section 6.1): by labels from the right, each by its bytes. Negative if `a` sorts first. */
export function compareNames(a: DnsName, b: DnsName): number {
  const [left, right] = [labelsOf(a).reverse(), labelsOf(b).reverse()];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [one, other] = [left[at] as string, right[at] as string];
    if (one !== other) return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

/** The bytes of a name. */
export function nameBytes(name: DnsName): Uint8Array {
  return Buffer.from(name, 'latin1');
}

/**
 * Reads a name at an offset, and returns where it ends. Compression pointers must point backwards, so that reading
 * terminates.
 * @param mayPoint whether the name may be compressed, as in a message
 * @throws NameError resolver
 */
export function readName(
  bytes: Uint8Array,
  start: number,
  mayPoint: boolean,
): { name: DnsName; end: number } {
  let name = '';
  let at = start;
  let end: number | undefined;
  let earliest = start;
  for (;;) {
    const length = bytes[at];
    if (length === undefined) throw malformed();
    if (length >= POINTER && mayPoint) {
      const target = ((length & ~POINTER) << 8) | (bytes[at + 1] ?? 0);
      if (target >= earliest || at + 1 >= bytes.length) throw malformed();
      end ??= at + 2;
      earliest = target;
      at = target;
      continue;
    }
    if (length > MAX_LABEL_BYTES || at + 1 + length > bytes.length) throw malformed();
    name += Buffer.from(bytes.subarray(at, at + 1 + length)).toString('latin1');
    if (name.length > MAX_NAME_BYTES) throw malformed();
    at += 1 + length;
    if (length === 0) return { name: lowerCase(name), end: end ?? at };
  }
}

/**
 * Converts the letters of a wire-format name to lower case. Length bytes are at most 63, so none is mistaken for a
 * letter (`A` is 65).
 */
function lowerCase(name: string): DnsName {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function malformed(): NameError {
  return new NameError('resolver', 'the resolver sent a malformed domain name');
}
