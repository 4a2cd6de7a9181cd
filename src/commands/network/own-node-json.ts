/** Our nodes as `listournodes` and `setournode` show them. */
import type { HtlcSums, OwnNode, WhyResting } from '../../network/several/index.ts';

/** The list of members, for help texts. */
export const OUR_NODE_MEMBERS =
  'name, id, kind, version, state, height, channels, spendable_msat, may_spend_msat (the maximum that payments can send ' +
  'now), receivable_msat, htlcs and in_flight_msat (number and sum of our HTLCs in flight; those that an earlier process ' +
  'sent are not in the sum), floor_msat, price_ppm, largest_part_msat, max_htlcs, last_hour and last_day (finished HTLCs: ' +
  'settled, failed, and amount_msat and fee_msat of those settled), and resting (the reason, if it takes no new parts)';

/** A node with all members except `balances`. */
export function ourNodeJson(node: OwnNode) {
  const { port, settings, whyResting } = node;
  const htlcs = [...node.inFlight.values()];
  return {
    name: node.name,
    id: node.nodeId,
    kind: port.kind,
    version: port.nodeBehind()?.version,
    state: settings.state,
    height: port.blockHeight(),
    channels: port.ownChannels().channels.length,
    spendable_msat: node.spendableMsat,
    may_spend_msat: node.mayPayMsat,
    receivable_msat: node.receivableMsat,
    htlcs: htlcs.length,
    in_flight_msat: htlcs.reduce((sum, { amountMsat }) => sum + amountMsat, 0n),
    floor_msat: settings.floorMsat,
    price_ppm: settings.pricePpm,
    largest_part_msat: settings.largestPartMsat,
    max_htlcs: settings.maxHtlcs,
    last_hour: sumsJson(node.recent.since(60)),
    last_day: sumsJson(node.recent.since(24 * 60)),
    resting: whyResting && restingText(whyResting),
  };
}

const sumsJson = ({ settled, failed, amountMsat, feeMsat }: HtlcSums) => ({
  settled,
  failed,
  amount_msat: amountMsat,
  fee_msat: feeMsat,
});

/** Why a node takes no new parts, as text. */
export function restingText(why: WhyResting): string {
  switch (why.kind) {
    case 'state':
      return `its state is ${why.state}`;
    case 'away':
      return why.problem;
    case 'height':
      return `its block height ${why.height} differs from that of the other nodes, ${why.others}`;
    case 'report':
      return `it reports an impossible balance of channel ${why.channel}`;
    case 'htlcs':
      return `it has reached its limit of ${why.limit} HTLCs in flight`;
    case 'floor':
      return 'its spendable amount does not exceed its floor';
    case 'empty':
      return 'it can spend nothing';
  }
}
