/** The terms of this interface, each explained in one sentence. Pages show them with `term` (pieces.ts). */

/** One sentence by the key of a term. */
export const TERMS = {
  alias: 'A name chosen by the node itself. It is not verified, and two nodes may have the same.',
  amount: 'What the recipient gets, without fees.',
  attempt: 'One try to send one part of a payment along one route.',
  baseFee: 'What a channel asks for every part it forwards, regardless of its amount.',
  belief: 'What this node thinks a channel can carry, from what it saw: at least so much, at most so much.',
  bias: 'A preference of a layer: routes avoid or seek a channel, regardless of its fee.',
  bounds: 'The least and the most that a channel direction is known to carry.',
  brier:
    'The mean squared gap between stated odds and what happened: 0 is perfect, 0.25 is what a coin flip of 50 % gets.',
  calibration: 'Whether things that were given odds of 80 % did happen in 80 of 100 cases.',
  capacity:
    'All the money in a channel, of both sides together; how it is split is a secret of its two ends.',
  channel: 'Money that two nodes share, and can move between them at once.',
  constraint: 'A record of a layer: this direction carries at most, or at least, so much.',
  cut: 'A set of channels that every way to the destination crosses: together they cannot carry more than their sum.',
  delay:
    'Blocks for which the money can be locked when something goes wrong; a block takes about ten minutes.',
  destination: 'The node that gets the money.',
  direction: 'One way through a channel; each direction has its own fee and limits.',
  expiry: 'The block height at which money that is still locked comes back.',
  fee: 'What the nodes on the way keep for forwarding.',
  feeLimit: 'The most that all parts together may cost in fees.',
  finalCltv: 'The blocks that the recipient itself asks for, to be safe.',
  front: 'The answers that no other answer beats in both cost and probability.',
  gossip: 'What nodes tell all others about themselves and their channels.',
  hop: 'One channel on a route.',
  htlc: 'A payment that is locked on its way, until the recipient shows the proof or the time is over.',
  htlcMaximum: 'The most that a channel forwards in one part.',
  htlcMinimum: 'The least that a channel forwards in one part.',
  inFlight: 'Sent, and neither arrived nor come back yet.',
  impression: 'A record that an amount passed, or did not, at a time; its weight fades.',
  invoice: 'A request for one payment, with amount and recipient.',
  keysend:
    'A payment to a node that issued no invoice for it; nothing that the recipient signed says what it was for.',
  layer: 'A named set of facts that changes what route searches see of the network.',
  lesson: 'What the end of an attempt taught about a channel.',
  logLoss:
    'The mean surprise over what happened, given the stated odds: 0 is perfect, and 0.69 is a coin flip.',
  msat: 'A thousandth of a sat.',
  node: 'A computer that takes part in the Lightning network.',
  odds: 'The chance that a route can carry its amount, as this node believes.',
  offer: 'A reusable request for payments (BOLT 12); each payment fetches an invoice of its own.',
  part: 'One of several routes on which a payment travels at the same time.',
  partsLimit: 'The most parts into which a payment may be split.',
  pending: 'Under way: it may still arrive, so do not pay again.',
  ppm: 'Parts per million: 1 000 ppm is 0.1 %.',
  preimage: 'The proof that the recipient got the money.',
  proportionalFee: 'What a channel asks for each million that it forwards.',
  remedy:
    'The smallest change of your request for which there is an answer; this node has asked for it already.',
  reservation: 'An amount that a payment under way already takes of a channel.',
  rune: 'A secret text that permits some commands of this node.',
  sat: 'A hundred-millionth of a bitcoin.',
  scid: 'The number of a channel: block, transaction and output that opened it.',
  shadow: 'A little more amount or delay than needed, so that the recipient looks further away.',
  simulated: 'A network in a box: its nodes and its money are not real.',
  source: 'The node where routes begin.',
  wilson: 'The range in which the true share lies in 95 of 100 cases, given how few were counted.',
} as const;

/** The key of a term. */
export type Term = keyof typeof TERMS;
