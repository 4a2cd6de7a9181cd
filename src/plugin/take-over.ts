/**
 * Commands of the node that the engine can run instead. The node calls its hook `rpc_command` before each of them. The
 * answer either lets the call pass, or redirects it to the plugin's name for the same command. The plugin answers the
 * hook at once, because the node waits for the answer without a time limit.
 */
import { JsonText, type JsonToken } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { membersOf } from '../rpc/socket-client.ts';
import { OWN_PREFIX } from './plugin-methods.ts';

/** The commands that can be taken over. */
export const TAKE_OVER_METHODS: readonly string[] = ['keysend', 'xkeysend', 'fetchinvoice', 'xpay', 'pay'];

/**
 * The first release whose hooks can be limited to some methods. Earlier releases would call the hook for every call.
 */
const FILTERS_SINCE = { year: 25, month: 12 };

/**
 * Whether the node's hooks can be limited to some methods. A version that cannot be parsed belongs to a development
 * build, which counts as new.
 */
export function hasHookFilters(version: string | undefined): boolean {
  const match = /^v?(\d{2})\.(\d{2})/.exec(version ?? '');
  if (match === null) return version !== undefined;
  const [year, month] = [Number(match[1]), Number(match[2])];
  return year > FILTERS_SINCE.year || (year === FILTERS_SINCE.year && month >= FILTERS_SINCE.month);
}

/** The hook in the manifest. cln-xpay handles calls of `pay` in the same hook, so we run first. */
export const TAKE_OVER_HOOK = {
  name: 'rpc_command',
  before: ['cln-xpay'],
  filters: TAKE_OVER_METHODS,
} as const;

/** Answers the hook. @param taken the methods currently run by the engine. */
export function hookAnswer(params: JsonToken | undefined, taken: ReadonlySet<string>): object {
  const call = params === undefined ? undefined : membersOf(params).rpc_command;
  const method = call === undefined ? undefined : membersOf(call).method?.text;
  if (call === undefined || method === undefined || !taken.has(method)) return { result: 'continue' };
  const members = call.members().map(({ key, value }) => {
    return [key, key === 'method' ? `${OWN_PREFIX}${method}` : new JsonText(value.raw)];
  });
  return { replace: new JsonText(toJson(Object.fromEntries(members))) };
}
