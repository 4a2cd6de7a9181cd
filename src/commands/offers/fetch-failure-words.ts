/** The error when no invoice could be fetched. `data.steps` lists the ways that were tried. */
import { toHex } from '../../bolt/bytes.ts';
import { ERRORS } from '../../model/errors.ts';
import type { FetchFailed, FetchFailure } from '../../offers/fetch-failure.ts';
import type { FetchStep } from '../../offers/fetch-steps.ts';
import type { WayFailed, WayFailure } from '../../offers/way-failure.ts';
import type { ClientError, Data } from '../client-error.ts';
import { invoiceFaultInWords } from './invoice-fault-words.ts';
import { staticInvoiceInWords } from './static-invoice-words.ts';

/** The error that says why the fetch failed. */
export function fetchFailureInWords({ name: error, reason, steps }: FetchFailed): ClientError {
  const { message, data } = fetchFailureWords(reason);
  const told = steps === undefined ? data : { ...data, steps: steps.map(stepData) };
  return { error, message, ...(told !== undefined && { data: told }) };
}

/** The text and data of a failure, without the ways that were tried. */
export function fetchFailureWords(failure: FetchFailure): { message: string; data?: Data } {
  switch (failure.kind) {
    case 'unreachable':
      return { message: unreachableText(failure) };
    case 'timedOut':
      return { message: 'Timeout waiting for response', data: { timeout: failure.timeoutMs / 1000 } };
    case 'requestTooLong':
      return {
        message: 'Creating onion failed (tlvs too long?)',
        data: { reason: `the request does not fit in an onion message: ${failure.cause}` },
      };
    case 'issuerError': {
      const { erroneousField, suggestedValue, error } = failure;
      return {
        message: REMOTE_FAILURE,
        data: {
          ...(erroneousField !== undefined && { erroneous_field: erroneousField }),
          ...(suggestedValue !== undefined && { suggested_value: toHex(suggestedValue) }),
          error,
        },
      };
    }
    case 'unreadableError':
      return { message: REMOTE_FAILURE, data: { invoice_error_hex: toHex(failure.bytes) } };
    case 'noInvoice':
      return { message: 'Neither invoice nor invoice_request_failed in reply' };
    case 'wrongInvoice': {
      const { field, reason } = invoiceFaultInWords(failure.fault);
      const message = `Incorrect ${field} field in "${toHex(failure.invoice)}"`;
      return { message, data: { field, reason } };
    }
    case 'staticInvoice':
      return staticInvoiceInWords(failure.staticInvoice);
    case 'wrongStaticInvoice': {
      const { field, reason } = invoiceFaultInWords(failure.fault);
      const hex = toHex(failure.bytes);
      const data = { field, reason, static_invoice_hex: hex };
      return { message: `Incorrect ${field} field in static invoice "${hex}"`, data };
    }
  }
}

const REMOTE_FAILURE = 'Remote node sent failure message';

function unreachableText({ target, isPath, why }: Extract<FetchFailure, { kind: 'unreachable' }>): string {
  if (why?.kind === 'notHandedOver') return `onion msg: ${why.cause}`;
  const where = isPath ? 'blinded path at ' : '';
  return `Failed: could not route or connect directly to ${where}${target}: ${becauseText(why)}`;
}

function becauseText(why: WayFailure | undefined): string {
  if (why === undefined) return 'too many paths';
  if (why.kind !== 'connectFailed') return wayFailureText(why);
  const error = why.why.kind === 'network' ? why.why.error : 'unspecified';
  return JSON.stringify({ code: ERRORS[error].code, message: wayFailureText(why) });
}

/** The error that says why a way to a node failed, for commands that try only one way. */
export const wayFailureInWords = ({ name: error, reason }: WayFailed): ClientError => ({
  error,
  message: wayFailureText(reason),
});

function wayFailureText(failure: WayFailure): string {
  switch (failure.kind) {
    case 'unknownFirstNode':
      return 'Cannot resolve scidd';
    case 'mayNotConnect':
      return 'fetchinvoice-noconnect set: not initiating a new connection';
    case 'takesNoMessages':
      return 'the peer does not support onion messages';
    case 'connectFailed':
      return failure.why.kind === 'network' ? failure.why.cause : wayFailureText(failure.why);
    case 'notHandedOver':
      return failure.cause;
  }
}

/** A tried way to the issuer, and its outcome. */
export function stepData({
  target,
  offerPath,
  outcome,
  startedMs,
  tookMs,
  connected,
  route,
  reason,
}: FetchStep) {
  return {
    target,
    ...(offerPath !== undefined && { offer_path: offerPath }),
    outcome,
    started_ms: startedMs,
    took_ms: tookMs,
    ...(connected !== undefined && { connected }),
    ...(route !== undefined && { route }),
    ...(reason !== undefined && { reason: wayFailureText(reason) }),
  };
}
