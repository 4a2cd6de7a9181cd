/** The error when a payment is refused at the start. */
import { toHex } from '../../bolt/bytes.ts';
import type { PaymentRefusal, PaymentRefused } from '../../payments/refusal.ts';
import type { RequestPart } from '../../payments/request-parts.ts';
import type { ClientError, Data } from '../client-error.ts';

/** The parameter that sets each part of a request. `maxfee` stands for all parameters that limit fees. */
const PARAMETERS: Readonly<Record<RequestPart, string>> = {
  kind: 'method',
  destination: 'destination',
  invstring: 'invstring',
  payerNote: 'payer_note',
  localRequest: 'localinvreqid',
  amountMsat: 'amount_msat',
  label: 'label',
  maxfeeMsat: 'maxfee',
  maxdelay: 'maxdelay',
  retryForS: 'retry_for',
  extraTlvs: 'extratlvs',
  routeHints: 'routehints',
  layers: 'layers',
  exclude: 'exclude',
  ourNodes: 'nodes',
  oneNode: 'one_node',
  isTransfer: 'method',
  circle: 'targets',
  useShadow: 'dev_use_shadow',
  randomize: 'dev_randomize',
  seed: 'seed',
};

/** The error that says why the payment was refused. */
export function paymentRefusalInWords({ name: error, reason }: PaymentRefused): ClientError {
  return { error, ...refusalInWords(reason) };
}

function refusalInWords(refusal: PaymentRefusal): { message: string; data?: Data } {
  switch (refusal.kind) {
    case 'closed':
      return { message: 'the service is stopping' };
    case 'tooMany':
      return { message: `${refusal.live} payments are already in progress` };
    case 'noChannels': {
      const { network } = refusal;
      return {
        message:
          `This node has no channels to pay with: its network is '${network}'. ` +
          'To pay, start it with another --network',
        data: { network_kind: network },
      };
    }
    case 'nodeAway':
      return { message: `Nothing was sent: ${refusal.problem}`, data: { node_id: refusal.nodeId } };
    case 'toOurselves':
      return {
        message: `This would pay our own node ${refusal.node}. To move money between our nodes, use transfer`,
        data: { parameter: 'destination', reason: 'is one of our own nodes', node: refusal.node },
      };
    case 'amountTooLarge':
      return refused('amount_msat', 'exceeds the total supply of bitcoin');
    case 'twoFeeLimits':
      return {
        message: 'If you specify maxfee, cannot specify maxfeepercent or exemptfee.',
        data: { parameter: 'maxfee', reason: 'excludes maxfeepercent and exemptfee' },
      };
    case 'feeShareTooLarge':
      return {
        message: 'Overflow when computing fee budget, fee rate too high.',
        data: { parameter: 'maxfeepercent', reason: 'overflow' },
      };
    case 'payloadTooLarge':
      if (refusal.isInvoices) {
        const reason = `the recipient's payload needs ${refusal.bytes} bytes, but only ${refusal.room} fit`;
        return refused('invstring', reason);
      }
      return {
        message: 'extratlvs: Payloads exceed maximum onion packet size.',
        data: {
          parameter: 'extratlvs',
          reason: `the recipient's payload needs ${refusal.bytes} bytes, but only ${refusal.room} fit`,
        },
      };
    case 'recordTypeTooLow': {
      const { network, type, least } = refusal;
      const reason = `the attached ${network} node cannot send TLV type ${type}: the minimum type is ${least}`;
      return refused('extratlvs', reason, {
        type: String(type),
        least: String(least),
        network_kind: network,
      });
    }
    case 'metadataNotSent': {
      const { network } = refusal;
      return {
        message:
          `The invoice requires payment metadata, which the attached ${network} node cannot send. ` +
          'Request an invoice without it, or pay with another --network',
        data: { parameter: 'invstring', network_kind: network, binding: 'payment_metadata' },
      };
    }
    case 'keySpent': {
      const { paymentHash, status } = refusal;
      const reason = `was used for a payment that was deleted (${status})`;
      return refused('idempotency_key', reason, { payment_hash: toHex(paymentHash), status });
    }
    case 'keyOfAnother':
      return refused('idempotency_key', 'was used by another caller');
    case 'otherRequest': {
      const differing = refusal.differing.map((part) => PARAMETERS[part]);
      const reason = `was used for another payment, which differs in ${differing.join(', ')}`;
      return refused('idempotency_key', reason, { differing });
    }
  }
}

const refused = (parameter: string, reason: string, more: Data = {}): { message: string; data: Data } => ({
  message: `${parameter}: ${reason}`,
  data: { parameter, reason, ...more },
});
