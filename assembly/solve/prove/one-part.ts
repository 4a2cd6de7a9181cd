/** What one part of an answer can carry across a direction. */
import { DirectionRecord } from '../../graph/direction';
import { Question } from '../../record';

/**
 * Maximum amount of one part, regardless of the HTLC minimum, msat.
 * @param sent maximum amount that leaves the source, msat
 * @param head the node at which the direction ends
 */
export function mostOfPart(question: Question, sent: i64, record: DirectionRecord, head: u32): i64 {
  // The last direction carries the delivered amount. The others also carry fees.
  const held = head === question.destination ? question.amountMsat : sent;
  return min<i64>(min<i64>(record.htlcMaximumMsat, record.maxMsat), held);
}

/** Whether one part can cross the direction. Parameters as for `mostOfPart`. */
export function carriesPart(question: Question, sent: i64, record: DirectionRecord, head: u32): bool {
  return mostOfPart(question, sent, record, head) >= max<i64>(record.htlcMinimumMsat, 1);
}
