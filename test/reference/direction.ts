/**
 * One direction of a channel, as the references see it: a plain object with everything that a route through
 * it depends on. The references share this, and nothing else, with the engine. So they share none of its
 * mistakes.
 *
 * Amounts follow askrene. `amountOut` crosses the direction. The node that it leaves charges `base +
 * floor(amountOut * ppm / 10^6)`. `amountIn = amountOut + fee` is what must arrive at that node.
 */
import type { NodeId } from '../../src/model/node-id.ts';

export interface PlainDirection {
  /** `BxTxO/D`. */
  readonly name: string;
  readonly source: NodeId;
  readonly destination: NodeId;
  readonly enabled: boolean;
  readonly htlcMinimumMsat: bigint;
  readonly htlcMaximumMsat: bigint;
  readonly feeBaseMsat: bigint;
  readonly feeProportionalMillionths: bigint;
  readonly cltvExpiryDelta: number;
  /** The amount that the direction certainly passes, according to layers; 0 without them. */
  readonly minimumMsat: bigint;
  /** The maximum that the direction passes, according to layers; the capacity without them. */
  readonly maximumMsat: bigint;
}

/** The direction with this name, after all layers; `undefined` if there is none or it has no policy. */
export type DirectionLookup = (name: string) => PlainDirection | undefined;

const MILLION = 1_000_000n;

/** The fee of the direction's first node for `amountOut`. */
export function feeMsat(direction: PlainDirection, amountOut: bigint): bigint {
  return direction.feeBaseMsat + (amountOut * direction.feeProportionalMillionths) / MILLION;
}

/** The amount that must arrive so that `amountOut` crosses. */
export function amountInMsat(direction: PlainDirection, amountOut: bigint): bigint {
  return amountOut + feeMsat(direction, amountOut);
}

/**
 * The maximum that crosses if `amountIn` arrives: the largest y with y + fee(y) <= amountIn, 0 if there is
 * none.
 */
export function amountOutMsat(direction: PlainDirection, amountIn: bigint): bigint {
  const afterBase = amountIn - direction.feeBaseMsat;
  if (afterBase < 0n) return 0n;
  let amountOut = (afterBase * MILLION) / (MILLION + direction.feeProportionalMillionths);
  while (amountInMsat(direction, amountOut + 1n) <= amountIn) amountOut++;
  return amountOut;
}

/** With `auto.sourcefree`, directions that leave the source have neither fee nor delay. */
export function sourceFree(direction: PlainDirection, source: NodeId): PlainDirection {
  if (direction.source !== source) return direction;
  return { ...direction, feeBaseMsat: 0n, feeProportionalMillionths: 0n, cltvExpiryDelta: 0 };
}
