/** The payments of jamming nodes. Their recipients hold the payments and then fail them, to occupy HTLC slots. */
import { exponential } from '../distributions.ts';
import { FIRST_JAMMING_ID } from '../payment-ids.ts';
import { PURPOSE } from '../purposes.ts';
import type { JammingScenario } from '../scenario/scenario.ts';
import type { TrafficPayment, TrafficSource } from './traffic.ts';

const SECOND_US = 1e6;

/** Adds jamming payments to traffic, in the order of time. None begins after the last payment of the traffic. */
export function* withJamming(
  orders: Iterable<TrafficPayment>,
  sources: readonly JammingScenario[],
  { draws, names }: TrafficSource,
): Generator<TrafficPayment> {
  const waitUs = (source: number, count: number): number =>
    Math.floor(
      exponential(draws.uniform(PURPOSE.jamming, source, count), SECOND_US / sources[source]!.ratePerS),
    );
  const next = sources.map(({ sender, receiver }, index) => ({
    atUs: waitUs(index, 0),
    count: 0,
    sender: names.find(sender, `network.jamming[${index}].sender`),
    receiver: names.find(receiver, `network.jamming[${index}].receiver`),
  }));
  let id = FIRST_JAMMING_ID;
  for (const order of orders) {
    for (;;) {
      const source = next.reduce((best, each, index) => (each.atUs < next[best]!.atUs ? index : best), 0);
      const due = next[source];
      if (due === undefined || due.atUs > order.startUs) break;
      const { amountMsat, holdUs } = sources[source]!;
      yield { id: id++, startUs: due.atUs, sender: due.sender, receiver: due.receiver, amountMsat, holdUs };
      due.atUs += waitUs(source, ++due.count);
    }
    yield order;
  }
}
