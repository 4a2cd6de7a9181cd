/** Purposes of random numbers in a simulated network (src/model/draws.ts). */

/** The purposes of draws. Draws for different purposes are independent. */
export const PURPOSE = {
  balance: 1,
  balanceSide: 2,
  latency: 3,
  jitter: 4,
  offline: 5,
  unresponsive: 6,
  keysend: 7,
  attribution: 8,
  heightOffset: 9,
  unreportedPolicy: 10,
  unreportedFactor: 11,
  stuck: 12,
  stuckToExpiry: 13,
  garble: 14,
  blockInterval: 15,
  messageLoss: 16,
  peers: 17,
} as const;
