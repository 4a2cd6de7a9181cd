/** `blacklistrune`: revokes runes, by their unique ids. */
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, type ParsedParams, withDefault } from '../../rpc/command.ts';
import { bool, u64 } from '../../rpc/param-types.ts';
import { BLACKLIST_END } from '../../runes/rune-book.ts';
import { defineCommand } from '../context.ts';

const PARAMS = {
  start: optional(u64, 'The first unique_id. Without it, the command only shows the blacklist.'),
  end: optional(u64, 'The last unique_id. Default: the same as `start`.'),
  relist: withDefault(bool, false, 'Whether to remove the runes from the blacklist instead.'),
};

/**
 * The range of unique ids to change. Undefined if the blacklist is only to be shown. @throws FulguriteError
 * invalidParams
 */
function rangeOf({ start, end = start }: ParsedParams<typeof PARAMS>) {
  if (end === undefined) return undefined;
  const refused = (message: string) => new FulguriteError('invalidParams', message);
  if (start === undefined) throw refused('Can not specify end without start');
  if (end >= BLACKLIST_END) throw refused(`Cannot blacklist beyond ${BLACKLIST_END}`);
  if (end < start) throw refused('end is before start');
  return { start, end };
}

/** Matches Core Lightning's command. @throws FulguriteError invalidParams, storeFailed */
export const blacklistrune = defineCommand({
  name: 'blacklistrune',
  summary: 'Blacklist runes, or remove them from the blacklist.',
  description:
    'Runes whose unique_id is in the range are refused from now on (error 1503), as are all runes derived ' +
    'from them. Returns the whole blacklist. To revoke all runes, stop the node and delete the file ' +
    '`rune-secret`.',
  category: 'utility',
  since: 'Core Lightning v23.08',
  params: PARAMS,
  check: (params) => void rangeOf(params),
  result: { blacklist: field('array', 'Ranges of unique_id, in ascending order: start, end.') },
  async handler(params, { runes }) {
    const range = rangeOf(params);
    if (range !== undefined) await runes.setBlacklisted(range, !params.relist);
    return { blacklist: runes.blacklist };
  },
});

/** An alias of `blacklistrune`, as in Core Lightning. */
export const destroyrune = defineCommand({ ...blacklistrune, name: 'destroyrune' });
