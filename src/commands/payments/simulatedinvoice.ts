/** `simulatedinvoice`: makes a node of the simulated network issue a BOLT 11 invoice, for trying `xpay`. */
import { randomBytes } from 'node:crypto';
import { currencyOf } from '../../bolt/invoice/bolt11-amount.ts';
import { DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA } from '../../bolt/invoice/bolt11-invoice.ts';
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, required, withDefault } from '../../rpc/command.ts';
import { atMost, bool, integer, nodeId, positiveMsat, string, u16 } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/** Maximum bytes of a BOLT 11 field. */
const MAX_DESCRIPTION_BYTES = 639;
const DEFAULT_EXPIRY_SECONDS = 3600;
const MAX_EXPIRY_SECONDS = 10 * 365 * 24 * 3600;
/** Maximum number of route hints. Each makes the invoice about 85 characters longer. */
const MAX_HINTS = 20;
const NONCE_BYTES = 9;

/** Not in Core Lightning, which has no simulated nodes. */
export const simulatedinvoice = defineCommand({
  name: 'simulatedinvoice',
  summary: 'Create a BOLT 11 invoice of a node of the simulated network.',
  description:
    'The node accepts the payment according to BOLT 4: once, before the expiry, with the payment secret, ' +
    'for one to two times the amount, and in several parts if it announced support. Pay the invoice with ' +
    '`xpay`. On a real network the command fails with -32005.',
  category: 'payments',
  params: {
    id: required(nodeId, 'The node to be paid.'),
    amount_msat: optional(positiveMsat, 'Amount of the invoice. Without it the payer chooses.'),
    description: withDefault(atMost(string, MAX_DESCRIPTION_BYTES), '', 'What the payment is for.'),
    expiry: withDefault(
      integer(0, MAX_EXPIRY_SECONDS),
      DEFAULT_EXPIRY_SECONDS,
      'Number of seconds until the invoice expires.',
    ),
    cltv: withDefault(u16, DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA, 'Minimum final CLTV expiry delta in blocks.'),
    hints: withDefault(
      integer(0, MAX_HINTS),
      0,
      'Number of route hints: channels into the node, largest first.',
    ),
    metadata: withDefault(bool, false, 'Whether the invoice has payment metadata that the payer must send.'),
  },
  result: { bolt11: field('string', 'The invoice.') },
  async handler({ id, amount_msat, cltv, ...wishes }, { simulatedInvoice, chain }) {
    if (simulatedInvoice === undefined) {
      throw new FulguriteError(
        'notSupported',
        'Only nodes of the simulated network create invoices on demand',
      );
    }
    const bolt11 = await simulatedInvoice(id, {
      currency: currencyOf(chain),
      amountMsat: amount_msat,
      description: wishes.description,
      expirySeconds: wishes.expiry,
      minFinalCltvExpiryDelta: cltv,
      hints: wishes.hints,
      hasMetadata: wishes.metadata,
      nonce: new Uint8Array(randomBytes(NONCE_BYTES)),
    });
    return { bolt11 };
  },
});
