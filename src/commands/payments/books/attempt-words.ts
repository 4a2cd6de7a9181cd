/** Texts about attempts: how they failed, and what was learned from them. */
import { failureName } from '../../../bolt/onion/failure.ts';
import { formatShortChannelIdDir } from '../../../model/short-channel-id.ts';
import type { Attempt, AttemptFailure, NotSent } from '../../../payments/payment.ts';

/** How an attempt failed, such as `failed: WIRE_… (reply from remote)`, or why the HTLC was not sent. */
export function failureText({ message, failcode, notSent }: AttemptFailure): string {
  if (message !== undefined) return message;
  if (failcode === undefined) return 'failed: unreadable failure message';
  const source = notSent === undefined ? 'reply from remote' : notSentText(notSent);
  return `failed: ${codeText(failcode)} (${source})`;
}

/**
 * Why an attempt failed, as one word: the failure code's name in BOLT 4, the number of a code without a name, or why
 * the HTLC was not sent. Free text of our own node is left out.
 */
export function attemptReason({ failcode, failcodename, notSent }: AttemptFailure): string {
  if (notSent !== undefined) return notSent.kind === 'byNode' ? (notSent.cause ?? 'byNode') : notSent.kind;
  return failcodename ?? (failcode === undefined ? 'unreadable' : String(failcode));
}

/** The name of a failure code, such as `WIRE_TEMPORARY_CHANNEL_FAILURE`, or the number of a code without a name. */
export function codeText(code: number): string {
  const name = failureName(code);
  return name === undefined ? `failure code ${code}` : wireName(name);
}

/** The name of a failure code as Core Lightning prints it. */
export const wireName = (name: string): string => `WIRE_${name.toUpperCase()}`;

function notSentText(notSent: NotSent): string {
  switch (notSent.kind) {
    case 'byNode':
      return notSent.reason;
    case 'concluded':
      return 'Not sent: the payment had already finished';
    case 'stopped':
      return 'Not sent: the service was stopped or lost its network';
    case 'refused':
      return `Not sent: ${notSent.cause}`;
  }
}

/** A lesson of an attempt, as a line of text. Journals of earlier versions already contain such texts. */
export function learnedText(learned: Attempt['learned'][number]): string {
  if (typeof learned === 'string') return learned;
  if (learned.kind === 'avoidNode') return `avoiding node ${learned.node} for this payment`;
  const name = formatShortChannelIdDir(learned.of);
  switch (learned.kind) {
    case 'delivered':
      return `${name} carried ${learned.amountMsat}msat`;
    case 'carried':
      return `${name} can carry ${learned.amountMsat}msat`;
    case 'blocked':
      return `${name} cannot carry ${learned.amountMsat}msat`;
    case 'refused':
      return `our ${name} cannot send ${learned.amountMsat}msat at the moment`;
    case 'minimum':
      return `${name} has a minimum of ${learned.minimumMsat}msat`;
    case 'suspected':
      return `${name} may be at fault: used only as a last resort`;
    case 'avoidDirection':
      return `avoiding ${name} for this payment`;
    case 'policy': {
      const { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, enabled } = learned.policy;
      const terms = `${feeBaseMsat}msat + ${feeProportionalMillionths}ppm, ${cltvExpiryDelta} blocks`;
      return `${name} ${enabled ? `asks for ${terms}` : 'is disabled'}`;
    }
  }
}
