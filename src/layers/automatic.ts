/**
 * The automatic layers: names that a route request may list in addition to the names of created layers. These names are
 * defined only in this table.
 */

/** One automatic layer. */
export interface AutomaticLayer {
  readonly name: string;
  /**
   * `network`: the layer changes the view of the network, in the order of the list. `request`: it changes the
   * interpretation of the whole request, regardless of its place in the list.
   */
  readonly changes: 'network' | 'request';
}

/**
 * - `sourcefree`: no fee and no delay on directions that leave the source, if they exist at this place in the list.
 * - `localchans`: our own channels with exact knowledge (local-channels.ts).
 * - `purse`: all our nodes as one source (purse-layer.ts). Empty if there is one node.
 * - `learned`: what our attempts showed about balances and nodes (learned-layer.ts).
 * - `includeFees`: the fees are deducted from the amount.
 * - `allowCircular`: the destination may be the source itself.
 * - `noMppSupport`: one part only. Deprecated: the name is unknown while deprecated names are refused.
 */
export const AUTOMATIC = {
  sourcefree: {
    name: 'auto.sourcefree',
    changes: 'network',
  },
  localchans: {
    name: 'auto.localchans',
    changes: 'network',
  },
  purse: {
    name: 'auto.purse',
    changes: 'network',
  },
  learned: {
    name: 'auto.learned',
    changes: 'network',
  },
  includeFees: {
    name: 'auto.include_fees',
    changes: 'request',
  },
  allowCircular: {
    name: 'auto.allow_circular',
    changes: 'request',
  },
  noMppSupport: {
    name: 'auto.no_mpp_support',
    changes: 'request',
  },
} as const satisfies Record<string, AutomaticLayer>;

const BY_NAME: ReadonlyMap<string, AutomaticLayer> = new Map(
  Object.values(AUTOMATIC).map((layer) => [layer.name, layer]),
);

/** Prefix of names that are reserved for present and future automatic layers. No other layer may have such a name. */
export const AUTOMATIC_PREFIX = 'auto.';

/** The automatic layer with this name. `undefined` if there is none. */
export const automaticLayer = (name: string): AutomaticLayer | undefined => BY_NAME.get(name);
