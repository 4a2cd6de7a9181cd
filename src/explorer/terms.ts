/** The technical terms on the pages, each explained in one or two sentences. Pages show them with `term` (pieces.ts). */

/** The explanations, by the key of the term. */
export const TERMS = {
  alias: 'A name that the node chose itself. It is unverified and need not be unique.',
  amount: 'What the recipient gets, without fees.',
  attempt: 'One try to send one part of a payment along one route.',
  baseFee: 'The fixed part of the fee for forwarding over a channel, regardless of the amount.',
  belief: 'What this node believes a channel can carry, based on earlier attempts: a minimum and a maximum.',
  bias: 'A preference set by a layer: route searches treat a channel as cheaper or more expensive than it is.',
  bounds: 'The known minimum and maximum that a channel direction can carry.',
  brier:
    'The mean squared difference between predicted odds and outcomes: 0 is perfect, and always predicting 50 % gives 0.25.',
  calibration: 'Whether predictions of 80 % come true in 80 of 100 cases.',
  capacity: 'All the money in a channel, on both sides. Only its two nodes know how it is divided.',
  channel: 'Money that two nodes share and can move between them instantly.',
  constraint: 'A record in a layer: this direction carries at least, or at most, a certain amount.',
  cut: 'Every route to the destination crosses at least one of these channels, so at most their sum can arrive.',
  delay:
    'The number of blocks for which money can be locked if something goes wrong. A block takes about ten minutes.',
  destination: 'The node that receives the money.',
  direction: 'One of the two directions of a channel. Each has its own fee and limits.',
  expiry: 'The block height at which money that is still locked is returned.',
  fee: 'What the nodes on the route keep for forwarding.',
  feeLimit: 'The maximum total fee of all parts.',
  finalCltv: 'The number of blocks that the recipient requires as a safety margin.',
  front: 'The answers that no other answer beats in both cost and probability.',
  gossip: 'What nodes publicly announce about themselves and their channels.',
  hop: 'One channel on a route.',
  htlc: 'A payment that is locked on its way until the recipient reveals the preimage or time runs out.',
  htlcMaximum: 'The largest amount that a channel forwards in one part.',
  htlcMinimum: 'The smallest amount that a channel forwards in one part.',
  inFlight: 'Sent, but neither arrived nor returned yet.',
  impression: 'A record in a layer that an amount moved through a channel direction.',
  invoice: 'A request for one payment, with amount and recipient.',
  keysend: 'A payment to a node without an invoice. The recipient has not signed what it is for.',
  layer: 'A named set of facts that changes how route searches see the network.',
  lesson: 'What the outcome of an attempt revealed about a channel.',
  logLoss:
    'The mean of −ln of the probability that was predicted for the actual outcome: 0 is perfect, and always predicting 50 % gives 0.69.',
  msat: 'A thousandth of a sat.',
  node: 'A computer in the Lightning network.',
  odds: 'The probability that a route can carry its amount, as estimated by this node.',
  offer: 'A reusable request for payments (BOLT 12). Each payment fetches its own invoice.',
  part: 'One of the amounts into which a payment is split. Parts may take different routes.',
  partsLimit: 'The maximum number of parts of a payment.',
  pending: 'In progress: it may still arrive, so do not pay again.',
  ppm: 'Parts per million: 1 000 ppm is 0.1 %.',
  preimage: 'The proof that the recipient received the money.',
  proportionalFee: 'The part of the fee that grows with the amount, in parts per million.',
  remedy:
    'A change to your request that gives an answer: the smallest that was found. This node has verified that it works.',
  reservation: 'An amount of a channel that a payment in progress already uses.',
  rune: 'A secret text that permits certain commands of this node.',
  sat: 'A hundred-millionth of a bitcoin.',
  scid: 'The id of a channel: the block, transaction and output that opened it.',
  shadow: 'A small addition to amount or delay, so that the recipient appears farther away.',
  simulated: 'A network that exists only in software: its nodes and its money are not real.',
  source: 'The node at which routes begin.',
  wilson: 'The range that contains the true share in 95 of 100 cases, given the number of observations.',
} as const;

/** The key of a term. */
export type Term = keyof typeof TERMS;
