/** The manifest with which the plugin introduces itself to the node. */

import { MESSAGE_HOOK } from './onion-messages.ts';
import { ASKRENE_METHODS, OWN_METHODS, OWN_PREFIX, type PluginMethod, shownUsage } from './plugin-methods.ts';
import { declaredOptions } from './plugin-options.ts';
import { hasHookFilters, TAKE_OVER_HOOK } from './take-over.ts';

/** The facts about the node on which the manifest depends. */
export interface ManifestFacts {
  /** Whether the plugin replaces cln-askrene. */
  readonly isInPlace: boolean;
  /** Whether the node runs in developer mode. */
  readonly isDeveloper: boolean;
  /** The node's version, as the node reports it to plugins. */
  readonly nodeVersion: string | undefined;
}

/** The methods by the names that they have in the node. */
export function methodsByName({ isInPlace }: Pick<ManifestFacts, 'isInPlace'>): Map<string, PluginMethod> {
  const askrene = ASKRENE_METHODS.map((method): [string, PluginMethod] => [
    isInPlace ? method.command : `${OWN_PREFIX}${method.command}`,
    method,
  ]);
  const own = OWN_METHODS.map((method): [string, PluginMethod] => [`${OWN_PREFIX}${method.command}`, method]);
  return new Map([...askrene, ...own]);
}

/** The answer to `getmanifest`. */
export function manifest(facts: ManifestFacts): object {
  const { isInPlace, isDeveloper, nodeVersion } = facts;
  return {
    options: declaredOptions(isInPlace),
    rpcmethods: [...methodsByName(facts)].map(([name, method]) => ({
      name,
      usage: shownUsage(method, isDeveloper),
      ...(method.deprecated && { deprecated: true }),
    })),
    subscriptions: ['shutdown', 'deprecated_oneshot'],
    hooks: [MESSAGE_HOOK, ...(hasHookFilters(nodeVersion) ? [TAKE_OVER_HOOK] : [])],
    dynamic: true,
    nonnumericids: true,
    cancheck: true,
  };
}
