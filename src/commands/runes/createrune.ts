/** `createrune`: makes a rune, or narrows one. */
import { field, optional, optionalField } from '../../rpc/command.ts';
import { atMost } from '../../rpc/param-types.ts';
import { encodeRune, type Rune } from '../../runes/rune.ts';
import { uniqueIdOf } from '../../runes/rune-check.ts';
import { defineCommand } from '../context.ts';
import { restrictionsParam, runeParam } from './rune-params.ts';

/** A rune must fit into a header of HTTP, in base64. */
const MAX_RESTRICTIONS_BYTES = 8192;

const UNRESTRICTED =
  'WARNING: This rune has no restrictions! Anyone who has access to this rune could drain funds from your node. Be ' +
  'careful when giving this to apps that you don’t trust. Consider using the restrictions parameter to only allow ' +
  'access to specific rpc methods.';

function resultOf(rune: Rune): object {
  return {
    rune: encodeRune(rune),
    unique_id: String(uniqueIdOf(rune)),
    warning_unrestricted_rune: rune.restrictions.length <= 1 ? UNRESTRICTED : undefined,
  };
}

/** As Core Lightning's command. @throws FulguriteError storeFailed */
export const createrune = defineCommand({
  name: 'createrune',
  summary: 'Make a rune, which lets its holder call some commands over HTTP.',
  description:
    'A rune is a secret text that says what it permits. Each restriction is an array of alternatives, of ' +
    'which one must hold, such as `method=keysend`, `outgo<10000sat`, `time<1900000000`, `rate=6` (at most ' +
    'one use in ten seconds) or `per=1day`. `outgo` is what a request can make leave: its amount and its fee limit. ' +
    '`outgoday` adds what left in the last 24 hours. A limit on the amount alone (`pnameamountmsat`) does not limit ' +
    'fees. `readonly` permits commands that begin with `list` or `get`. ' +
    'A limit on a parameter by name (`pname…`) refuses positional parameters, where that name is absent, and ' +
    'a limit by place (`parr0`) refuses parameters by name. With `rune`, restrictions are added to ' +
    'that rune, whoever made it; it keeps its unique_id, its use and its place in the blacklist, and nothing ' +
    'is stored.',
  category: 'utility',
  since: 'v23.08',
  params: {
    rune: optional(runeParam, 'A rune to narrow. Without it, a new one is made and stored.'),
    restrictions: optional(
      atMost(restrictionsParam, MAX_RESTRICTIONS_BYTES),
      '`readonly`, or an array of restrictions, each an array of alternatives. Without any, the rune permits everything.',
    ),
  },
  // A new rune would not have the limit of the one that asks for it.
  outgo: () => undefined,
  result: {
    rune: field('string', 'The rune: a secret.'),
    unique_id: field('string', 'The number that names it.'),
    warning_unrestricted_rune: optionalField('string', 'Present when the rune permits everything.'),
  },
  handler: async ({ rune, restrictions = [] }, { runes }) =>
    resultOf(rune === undefined ? await runes.create(restrictions) : runes.narrow(rune.rune, restrictions)),
});

/** Another name of `createrune`, as Core Lightning has it. */
export const invokerune = defineCommand({ ...createrune, name: 'invokerune' });
