/** `blacklistrune`: takes runes out of use for good, by the numbers that name them. */
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, type ParsedParams, withDefault } from '../../rpc/command.ts';
import { bool, u64 } from '../../rpc/param-types.ts';
import { BLACKLIST_END } from '../../runes/rune-book.ts';
import { defineCommand } from '../context.ts';

const PARAMS = {
  start: optional(u64, 'The first unique_id. Without it, the blacklist is shown as it is.'),
  end: optional(u64, 'The last unique_id. Without it, only the first.'),
  relist: withDefault(bool, false, 'Whether to take them off the blacklist instead.'),
};

/** The names to change. Undefined when the list is only to be shown. @throws FulguriteError invalidParams */
function rangeOf({ start, end = start }: ParsedParams<typeof PARAMS>) {
  if (end === undefined) return undefined;
  const refused = (message: string) => new FulguriteError('invalidParams', message);
  if (start === undefined) throw refused('Can not specify end without start');
  if (end >= BLACKLIST_END) throw refused(`Cannot blacklist beyond ${BLACKLIST_END}`);
  if (end < start) throw refused('end is before start');
  return { start, end };
}

/** As Core Lightning's command. @throws FulguriteError invalidParams, storeFailed */
export const blacklistrune = defineCommand({
  name: 'blacklistrune',
  summary: 'Take runes out of use, or back into use.',
  description:
    'Runes whose unique_id is in a range are refused from now on (error 1503), and so are all runes narrowed ' +
    'from them. The answer is the whole blacklist. To make every rune worthless, stop the node and remove ' +
    'the file `rune-secret`.',
  category: 'utility',
  since: 'v23.08',
  params: PARAMS,
  check: (params) => void rangeOf(params),
  result: { blacklist: field('array', 'Ranges of unique_id, in ascending order: start, end.') },
  async handler(params, { runes }) {
    const range = rangeOf(params);
    if (range !== undefined) await runes.setBlacklisted(range, !params.relist);
    return { blacklist: runes.blacklist };
  },
});

/** Another name of `blacklistrune`, as Core Lightning has it. */
export const destroyrune = defineCommand({ ...blacklistrune, name: 'destroyrune' });
