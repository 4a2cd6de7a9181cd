/**
 * The rules by which a node of the laboratory rebalances its channels, once per interval.
 *
 *   none       does nothing
 *   fulgurite  plans and pays as `rebalance earned_days=…` does, by the same code (src/payments/plan/earnings.ts)
 *   sling      the rule of the plugin sling: each channel below a share of its capacity is filled in fixed steps, one
 *              cheapest path at a time, from channels that each keep a share of their capacity
 *
 * For filling a channel, `sling` pays at most the channel's own fee rate, and `fulgurite` at most its earnings.
 */

import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel, SettledForward } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { Circle } from '../../payments/plan/circle.ts';
import { earningsOf, NO_EARNING, ratePpm, wantedByEarnings } from '../../payments/plan/earnings.ts';
import { type PlanCircle, planRebalance } from '../../payments/plan/rebalance.ts';
import { carryOut, type Moved } from '../../payments/send/rebalance-run.ts';
import type { OperatorsScenario } from '../scenario/scenario.ts';

const MILLION = 1_000_000n;
/** A limit on the sum of all fees that is never reached, because each part has its own limit. */
const ANY_FEE = msat(10n ** 15n);
/** Maximum number of steps per interval in which the rule `sling` fills a channel. */
const MAX_STEPS = 100;

/** A node that rebalances, as seen by its rule. */
export interface Operator {
  readonly nodeId: NodeId;
  channels(): readonly OwnChannel[];
  /** The node's recent forwards. */
  forwards(): readonly SettledForward[];
  /** The period of these forwards in seconds. At the beginning of a run, the period is shorter. */
  periodS(): number;
  plan: PlanCircle<string>;
  /** Makes a payment from the node to itself over this circle. Resolves when nothing is in flight any more. */
  pay(circle: Circle, amountMsat: Msat, maxfeeMsat: Msat): Promise<Moved>;
}

/** The rule `fulgurite`: makes a plan from the earnings of channels, and executes it. */
export async function rebalanceByEarnings(operator: Operator, rules: OperatorsScenario): Promise<void> {
  const byChannel = earningsOf(operator.forwards());
  const earnings = {
    byChannel,
    periodS: Math.max(1, operator.periodS()),
    aheadS: Math.floor(rules.aheadUs / 1e6),
  };
  const leastMsat = msat(rules.leastMsat);
  const limits = {
    maxfeeMsat: ANY_FEE,
    maxfeePpm: rules.maxfeePpm,
    mostMsat: undefined,
    leastMsat,
    worthPpm: (id: ShortChannelId): number => ratePpm(byChannel.get(id) ?? NO_EARNING),
  };
  const wanted = wantedByEarnings(operator.channels(), earnings, leastMsat);
  const terms = { retryForS: 60, seed: 0n, layers: [], label: 'rebalance' };
  const { moves } = await planRebalance(operator.nodeId, wanted, limits, terms, operator.plan);
  await carryOut(moves, limits, ({ out, in: into, amountMsat }, maxfeeMsat) =>
    operator.pay({ out: [{ shortChannelId: out }], in: [{ shortChannelId: into }] }, amountMsat, maxfeeMsat),
  );
}

/** The rule `sling`: fills each depleted channel, one path at a time. */
export async function rebalanceLikeSling(operator: Operator, rules: OperatorsScenario): Promise<void> {
  const share = (of: number, { spendableMsat, receivableMsat }: OwnChannel): bigint =>
    ((spendableMsat + receivableMsat) * BigInt(Math.round(of * 1e6))) / MILLION;
  const low = operator
    .channels()
    .filter((channel) => channel.usable && channel.spendableMsat < share(rules.target, channel));
  for (const { shortChannelId: id, localPolicy } of low) {
    const maxPpm = Math.min(rules.maxfeePpm, localPolicy?.feeProportionalMillionths ?? 0);
    for (let step = 0; step < MAX_STEPS; step++) {
      const channels = operator.channels();
      const channel = channels.find(({ shortChannelId }) => shortChannelId === id);
      if (channel === undefined || channel.spendableMsat >= share(rules.target, channel)) break;
      const amountMsat = msat(
        rules.stepMsat < channel.receivableMsat ? rules.stepMsat : channel.receivableMsat,
      );
      const out = channels
        .filter(({ shortChannelId, usable }) => usable && shortChannelId !== id)
        .map((one) => ({
          shortChannelId: one.shortChannelId!,
          spareMsat: one.spendableMsat - share(rules.depleteTo, one),
        }))
        .filter(({ spareMsat }) => spareMsat >= amountMsat)
        .map(({ shortChannelId, spareMsat }) => ({ shortChannelId, mostMsat: msat(spareMsat) }));
      if (out.length === 0 || amountMsat < rules.leastMsat) break;
      const maxfeeMsat = msat((amountMsat * BigInt(maxPpm)) / MILLION);
      const moved = await operator.pay({ out, in: [{ shortChannelId: id! }] }, amountMsat, maxfeeMsat);
      if (moved.amountMsat === 0n) break;
    }
  }
}
