/**
 * Reads the payment instructions of a name (BIP 353): exactly one TXT record must begin with `bitcoin:`, and is a
 * payment URI (BIP 321). Other records of the name are ignored. An unknown parameter `req-…` makes the URI unusable.
 */
import { NameError } from './name-error.ts';

/** The contents of a payment URI. */
export interface PaymentInstructions {
  /** BOLT 12 offers, in the order of the URI. */
  readonly offers: readonly string[];
  /** An on-chain address. */
  readonly address?: string | undefined;
  readonly amountMsat?: bigint | undefined;
  readonly description?: string | undefined;
}

const SCHEME = 'bitcoin:';
/** Supported parameters, which a URI may therefore mark as required. */
const UNDERSTOOD = new Set(['lno', 'amount', 'label', 'message']);
const AMOUNT = /^(\d{1,8})(?:\.(\d{1,8}))?$/;
const MSAT_PER_BITCOIN = 100_000_000_000n;
/** Number of decimals of an amount in bitcoin with a precision of 1 msat. */
const DECIMALS = 11;

/** Finds the instructions in the TXT records of a name. @throws NameError instructions */
export function readInstructions(texts: readonly string[]): PaymentInstructions {
  const uris = texts.filter((text) => text.slice(0, SCHEME.length).toLowerCase() === SCHEME);
  const [uri] = uris;
  if (uri === undefined)
    throw new NameError('instructions', 'the name has no record that begins with bitcoin:');
  if (uris.length > 1)
    throw new NameError('instructions', 'the name has several records that begin with bitcoin:');
  return readPaymentUri(uri);
}

/** Reads a payment URI. @throws NameError instructions */
export function readPaymentUri(uri: string): PaymentInstructions {
  const [address = '', ...rest] = uri.slice(SCHEME.length).split('?');
  const offers: string[] = [];
  const single = new Map<string, string>();
  for (const part of rest.join('?').split('&')) {
    if (part === '') continue;
    const [rawName = '', ...value] = part.split('=');
    const isRequired = /^req-/i.test(rawName);
    const name = (isRequired ? rawName.slice(4) : rawName).toLowerCase();
    if (isRequired && !UNDERSTOOD.has(name)) {
      throw new NameError(
        'instructions',
        `the payment URI requires ${name.slice(0, 40)}, which is not supported`,
      );
    }
    const text = decoded(value.join('='));
    if (name === 'lno') offers.push(text);
    else if (!UNDERSTOOD.has(name)) continue;
    else if (single.has(name))
      throw new NameError('instructions', `the payment URI has two ${name} parameters`);
    else single.set(name, text);
  }
  const amount = single.get('amount');
  return {
    offers,
    ...(address !== '' && { address }),
    ...(amount !== undefined && { amountMsat: amountOf(amount) }),
    description: single.get('message') ?? single.get('label'),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new NameError('instructions', 'the payment URI has a malformed % sequence');
  }
}

function amountOf(text: string): bigint {
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? [];
  if (whole === undefined)
    throw new NameError('instructions', `the payment URI has an invalid amount: ${text.slice(0, 40)}`);
  return BigInt(whole) * MSAT_PER_BITCOIN + BigInt(fraction.padEnd(DECIMALS, '0'));
}
