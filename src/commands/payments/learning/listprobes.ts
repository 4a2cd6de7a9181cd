/** `listprobes`: shows probes, their outcomes and lessons. */
import { toHex } from '../../../bolt/bytes.ts';
import { arrived } from '../../../payments/books/arrival.ts';
import type { StoredAttempt } from '../../../payments/books/journal.ts';
import { field, optional, optionalField, withDefault } from '../../../rpc/command.ts';
import { JsonList } from '../../../rpc/json-write.ts';
import { u32, u64 } from '../../../rpc/param-types.ts';
import { defineCommand } from '../../context.ts';
import { attemptData } from '../books/attempt-json.ts';

/** Default number of attempts to consider, which are read in a fraction of a second. */
const DEFAULT_LIMIT = 1_000;

/** Not in Core Lightning. */
export const listprobes = defineCommand({
  name: 'listprobes',
  summary: 'Show probes and what was learned from them.',
  description:
    'Shows the HTLCs that this node sent in order to learn, in order of creation; see `start --probes-per-hour`. A probe has a random ' +
    'payment hash without a known preimage, so it cannot pay anything. It has arrived if it reached its recipient, ' +
    'which refuses it. Probes do not appear in lists of payments or in the ledger. Without `start`, the last `limit` ' +
    'attempts are considered.',
  category: 'payments',
  readOnly: true,
  params: {
    start: optional(u64, 'Id of the first attempt to consider.'),
    limit: withDefault(u32, DEFAULT_LIMIT, 'Maximum number of attempts of payments and probes to consider.'),
  },
  result: {
    enabled: field('boolean', 'Whether this node sends probes.'),
    per_hour: optionalField('u32', 'Maximum number of probes per hour.'),
    max_in_flight_msat: optionalField('msat', 'Maximum amount that all probes may lock at a time.'),
    in_flight_msat: optionalField('msat', 'Amount that probes lock now.'),
    probes: field(
      'array',
      'Objects with id, payment_hash, destination, arrived (absent while unknown) and the members of an attempt: status, ' +
        'failreason, partid, node (with several nodes), amount_msat, amount_sent_msat, probability_ppm, created_at, ' +
        'completed_at, route, failure and learned.',
    ),
  },
  async handler({ start, limit }, { payments: { journal }, probes }) {
    await journal.written();
    const after = Math.max(0, journal.lastAttemptIndex - limit);
    const first =
      start === undefined ? after + 1 : Math.max(1, Math.min(Number(start), Number.MAX_SAFE_INTEGER));
    const figures = probes?.figures;
    return {
      enabled: figures !== undefined,
      per_hour: figures?.perHour,
      max_in_flight_msat: figures?.maxInFlightMsat,
      in_flight_msat: figures?.inFlightMsat,
      probes: new JsonList(rows(journal.attempts({ by: 'created', start: first }), limit)),
    };
  },
});

async function* rows(attempts: AsyncIterable<StoredAttempt>, limit: number) {
  let left = limit;
  if (left === 0) return;
  for await (const { attempt, payment } of attempts) {
    if (payment.request.kind === 'probe') {
      yield {
        id: attempt.createdIndex,
        payment_hash: toHex(payment.paymentHash),
        destination: payment.request.destination,
        arrived: arrived(attempt),
        ...attemptData(attempt),
      };
    }
    if (--left === 0) return;
  }
}
