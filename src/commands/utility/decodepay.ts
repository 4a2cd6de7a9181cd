/** `decodepay`: shows the contents of a BOLT 11 invoice, for clients older than `decode`. */
import { equalBytes } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { parseBolt11 } from '../../bolt/invoice/bolt11-invoice.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { FulguriteError } from '../../model/errors.ts';
import { optional, required } from '../../rpc/command.ts';
import { atMost, string } from '../../rpc/param-types.ts';
import { parameterError } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { bolt11Json } from './bolt11-json.ts';
import { BOLT11_RESULT } from './decode-members.ts';

const MAX_CHARACTERS = 8 * 1024;

/** Matches Core Lightning's former command, which v26.06 no longer has. */
export const decodepay = defineCommand({
  name: 'decodepay',
  summary: 'Decode a BOLT 11 invoice (for old clients; see `decode`).',
  description:
    'Works like `decode` for a BOLT 11 invoice, without `type` and `valid`. If the invoice has only the hash of its description, ' +
    'a given `description` must match it.',
  category: 'utility',
  readOnly: true,
  params: {
    bolt11: required(atMost(string, MAX_CHARACTERS), 'The invoice.'),
    description: optional(
      atMost(string, MAX_CHARACTERS),
      'The description, for an invoice that has only its hash.',
    ),
  },
  result: BOLT11_RESULT,
  handler({ bolt11, description }) {
    const text = bolt11.replace(/^lightning:/i, '');
    try {
      const { descriptionHash } = parseBolt11(text).fields;
      if (descriptionHash !== undefined && description !== undefined) {
        const given = sha256(new Uint8Array(Buffer.from(description, 'utf8')));
        if (!equalBytes(given, descriptionHash))
          throw invalid('h: does not match description', 'description');
      }
      const { type: _, valid: __, ...members } = bolt11Json(text);
      return members;
    } catch (error) {
      if (error instanceof WireError) throw invalid(error.message, 'bolt11');
      throw error;
    }
  },
});

function invalid(reason: string, parameter: string): FulguriteError {
  return parameterError(parameter, reason, `Invalid bolt11: ${reason}`);
}
