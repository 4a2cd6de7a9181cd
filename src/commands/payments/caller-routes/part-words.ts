/**
 * The error when a part cannot be sent because of earlier parts with the same payment hash, with Core Lightning's
 * texts.
 */
import type { PartRefusal, PartRefused } from '../../../payments/send/given-route.ts';
import type { ClientError } from '../../client-error.ts';

/** The error that says why the part was not sent. */
export function partRefusalInWords({ name: error, reason }: PartRefused): ClientError {
  return { error, message: wordsOf(reason) };
}

function wordsOf(refusal: PartRefusal): string {
  switch (refusal.kind) {
    case 'otherAmount': {
      const { state, before, now } = refusal;
      return `Already ${state === 'complete' ? 'succeeded' : state} with amount ${before}msat (not ${now}msat)`;
    }
    case 'otherRecipient':
      return `Already ${refusal.state === 'complete' ? 'succeeded' : refusal.state} to ${refusal.before}`;
    case 'otherGroup':
      return `Payment with groupid=${refusal.groupId} still in progress, cannot retry before that completes.`;
    case 'otherNumbering':
      return `Already have ${refusal.inParts ? 'parallel' : 'non-parallel'} payment in progress`;
    case 'otherTotal':
      return `msatoshi was previously ${refusal.before}msat, now ${refusal.now}msat`;
    case 'numberUsed':
      return (
        `There already is a payment with this payment_hash, groupid=${refusal.groupId}, partid=${refusal.partId}. ` +
        'Either change the partid, or wait for the payment to complete and start a new group.'
      );
    case 'partsArrived':
      return 'Already succeeded other parts';
    case 'otherSecret':
      return 'payment_secret: all parts of a group have one payment_secret';
    case 'oneOnion':
      return 'Only one onion per payment hash can be in flight: use sendpay for parts';
    case 'wholeInFlight':
      return `Already have ${refusal.inFlightMsat}msat of ${refusal.totalMsat}msat payments in progress`;
  }
}
