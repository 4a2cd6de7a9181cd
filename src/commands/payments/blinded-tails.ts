/** Refuses an invoice without blinded paths that our node can use, or an expired one. */
import type { InvoiceFields } from '../../bolt/invoice/bolt12-fields.ts';
import { paymentPaths } from '../../bolt/invoice/bolt12-invoice.ts';
import { FulguriteError } from '../../model/errors.ts';
import { filled, REFUSALS } from '../../model/refusals.ts';
import { whyUnpayable } from '../../offers/payable.ts';
import type { BlindedTail } from '../../payments/plan/invoice-terms.ts';
import { findTails, pathStarts, type TailProblem } from '../../payments/plan/payable-invoice.ts';
import type { NodeContext } from '../context.ts';
import { unpayableText } from '../offers/invoice-fault-words.ts';

/** The usable blinded paths, at least one. @throws FulguriteError 205 when none is usable */
export function usableTails(fields: InvoiceFields, context: NodeContext): readonly BlindedTail[] {
  const unpayable = whyUnpayable(fields);
  if (unpayable !== undefined) throw noPath([unpayableText(unpayable)]);
  const { identity, graph, networkPort, offers, payments } = context;
  const starts = pathStarts({
    ...{ ownId: identity.id, graph, network: networkPort },
    isOtherOfOurs: (node) => payments.purse?.nodes.byId(node) !== undefined,
    openOwnHop: (path) => offers.openOwnHop(path),
  });
  const { tails, problems } = findTails(paymentPaths(fields), starts);
  if (tails.length === 0) throw noPath(problems.map(tailProblemText));
  return tails;
}

function tailProblemText(problem: TailProblem): string {
  switch (problem.kind) {
    case 'unknownChannel':
      return 'unknown short_channel_id';
    case 'endsHere':
      return 'a path ends at this node';
    case 'tooManyOwnHops':
      return `a path begins with more than ${problem.most} hops of this node`;
    case 'keyElsewhere':
      return 'a path begins at this node, whose key is kept elsewhere';
    case 'notOurChannel':
      return 'a path leads over a channel that this node does not have';
    case 'unreadable':
      return `the data for this node cannot be read: ${problem.cause}`;
  }
}

function noPath(problems: readonly string[]): FulguriteError {
  const { wire, error, text } = REFUSALS.blindedPaths;
  const message = filled(text, { problems: [...new Set(problems)].join(', ') });
  return new FulguriteError(error, message, { binding: { kind: wire }, problems });
}

/** @throws FulguriteError 207 when the time `expiresAt`, in UNIX seconds, has passed */
export function requireUnexpired(expiresAt: bigint, { offers }: NodeContext): void {
  const now = offers.nowSeconds();
  if (now <= expiresAt) return;
  const message = `Invoice expired ${now - expiresAt} seconds ago`;
  throw new FulguriteError('invoiceExpired', message, { now, expiry: expiresAt });
}
