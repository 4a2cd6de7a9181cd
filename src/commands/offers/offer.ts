/** `offer`: creates an offer for which others can request invoices. */
import type { OfferFields } from '../../bolt/invoice/bolt12-fields.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NetworkKind } from '../../network/port.ts';
import { field, optional, optionalField, required, withDefault } from '../../rpc/command.ts';
import { bool, shortText, u64 } from '../../rpc/param-types.ts';
import { badParameter, refusedParameter } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { offerObject } from './offer-listing.ts';
import {
  frontingNodes,
  number32,
  offerAmount,
  offerText,
  paywindow,
  recurrencePeriod,
} from './offer-types.ts';

/** Matches Core Lightning's command (BOLT 12, "Offers"). Returns once the offer is on disk. */
export const offer = defineCommand({
  name: 'offer',
  summary: 'Create an offer to receive payments.',
  description:
    'If the same offer already exists, it is returned with `created` false, or error 1000 if it is ' +
    'disabled. Requests for the offer get an invoice only if this node can be paid. Otherwise ' +
    '`warning_no_payments` is set, and requests get an error. If our channels belong to an attached node, ' +
    'the offer is refused, because payments for it would not reach that node.',
  category: 'offers',
  params: {
    amount: required(
      offerAmount,
      '`any`, or an amount of bitcoin. Amounts in other currencies, such as `10.05USD`, are refused: this node cannot convert them.',
    ),
    description: optional(offerText, 'What the payment is for. Required with an amount.'),
    issuer: optional(offerText, 'Who we are.'),
    label: optional(shortText, 'A local label. It is not part of the offer.'),
    quantity_max: optional(u64, 'Maximum number of items per invoice. 0 for no limit.'),
    absolute_expiry: optional(u64, 'UNIX time after which the offer is no longer valid.'),
    recurrence: optional(recurrencePeriod, 'Payment interval, such as `1month`, `2weeks` or `30minutes`.'),
    recurrence_base: optional(u64, 'UNIX time at which period 0 starts.'),
    recurrence_paywindow: optional(
      paywindow,
      '`-BEFORE+AFTER`: how many seconds before and after the start of a period it may be paid.',
    ),
    recurrence_limit: optional(number32, 'Index of the last period.'),
    single_use: withDefault(bool, false, 'Whether the offer is disabled after its first payment.'),
    proportional_amount: withDefault(
      bool,
      false,
      'Whether the amount for a period that has begun is reduced in proportion to the remaining time.',
    ),
    optional_recurrence: withDefault(
      bool,
      false,
      'Whether the offer may also be paid once, without recurrence.',
    ),
    fronting_nodes: optional(
      frontingNodes,
      'Peers through which we can be reached. The offer has one path through each.',
    ),
  },
  result: {
    offer_id: field('hash', 'SHA-256 of the offer.'),
    active: field('boolean', 'Whether the offer is active.'),
    single_use: field('boolean', 'Whether the offer is disabled after its first payment.'),
    bolt12: field('string', 'The offer, `lno1…`.'),
    force_paths: field('boolean', 'False.'),
    used: field('boolean', 'Whether it has been paid.'),
    label: optionalField('string', 'The label that was given.'),
    created: field('boolean', 'False if the offer already existed.'),
    warning_no_payments: optionalField(
      'string',
      'Why invoice requests for the offer cannot be answered with an invoice.',
    ),
  },
  check(params, { offers, networkPort }) {
    requirePayee(networkPort.kind);
    checkTerms(params);
    offers.own.check(fieldsOf(params));
  },
  async handler(params, { offers, networkPort }) {
    requirePayee(networkPort.kind);
    checkTerms(params);
    const { issued, isNew } = await offers.own.create({
      fields: fieldsOf(params),
      label: params.label,
      singleUse: params.single_use,
      ...(params.fronting_nodes && { fronts: params.fronting_nodes }),
    });
    return {
      ...offerObject(issued),
      created: isNew,
      warning_no_payments: offers.own.canBePaid
        ? undefined
        : 'This network cannot deliver payments to us. Requests for the offer are answered with an error that says so.',
    };
  },
});

/** What to do instead if a different node owns the channels. */
const INSTEAD: Partial<Record<NetworkKind, string>> = {
  lnd: 'LND has no offers. Use `invoice`',
  cln: 'Create the offer with `lightning-cli offer` at the node',
  several: 'Create the offer at one of the nodes',
};

/**
 * Requires that payments for the offer reach the node that makes it.
 * @throws FulguriteError notSupported if a different node would receive them
 */
function requirePayee(kind: NetworkKind): void {
  const instead = INSTEAD[kind];
  if (instead === undefined) return;
  const reason = 'an offer made here would name the key of this service, which has no channels';
  throw new FulguriteError('notSupported', `${reason}. ${instead}`, { network_kind: kind });
}

interface OfferTerms {
  readonly amount: Pick<OfferFields, 'offerAmount' | 'offerCurrency'>;
  readonly description: string | undefined;
  readonly issuer: string | undefined;
  readonly quantity_max: bigint | undefined;
  readonly absolute_expiry: bigint | undefined;
  readonly recurrence: OfferFields['offerRecurrenceCompulsory'];
  readonly recurrence_base: bigint | undefined;
  readonly recurrence_paywindow: OfferFields['offerRecurrencePaywindow'];
  readonly recurrence_limit: number | undefined;
  readonly proportional_amount: boolean;
  readonly optional_recurrence: boolean;
}

/**
 * @throws FulguriteError invalidParams when the terms contradict each other, or when this node does not support them
 */
function checkTerms(terms: OfferTerms): void {
  if (terms.amount.offerAmount !== undefined && terms.description === undefined) {
    const reason = 'description is required for the user to know what it was they paid for';
    throw badParameter('description', reason);
  }
  if (terms.amount.offerCurrency !== undefined) {
    throw refusedParameter('amount', 'no exchange rates: this node cannot convert currencies');
  }
  if (terms.recurrence === undefined) {
    for (const name of ['recurrence_base', 'recurrence_paywindow', 'recurrence_limit'] as const) {
      if (terms[name] !== undefined) throw badParameter(name, 'needs recurrence');
    }
  }
  if (terms.proportional_amount && terms.recurrence_base === undefined) {
    throw badParameter('proportional_amount', 'proportional_amount needs recurrence_base');
  }
  if (terms.optional_recurrence && terms.recurrence === undefined)
    throw badParameter('optional_recurrence', 'needs recurrence');
  if (terms.optional_recurrence && terms.recurrence_base !== undefined) {
    throw badParameter('optional_recurrence', 'incompatible with recurrence_base');
  }
}

function fieldsOf(terms: OfferTerms): OfferFields {
  const { recurrence, recurrence_base: basetime } = terms;
  return {
    ...terms.amount,
    offerDescription: terms.description,
    offerIssuer: terms.issuer,
    offerQuantityMax: terms.quantity_max,
    offerAbsoluteExpiry: terms.absolute_expiry,
    offerRecurrenceCompulsory: terms.optional_recurrence ? undefined : recurrence,
    offerRecurrenceOptional: terms.optional_recurrence ? recurrence : undefined,
    offerRecurrenceBase:
      basetime === undefined ? undefined : { isProportional: terms.proportional_amount, basetime },
    offerRecurrencePaywindow: terms.recurrence_paywindow,
    offerRecurrenceLimit: terms.recurrence_limit,
  };
}
