/** `createrune`: creates a rune, or restricts an existing rune further. */

import { field, optional, optionalField, withDefault } from '../../rpc/command.ts';
import { atMost, bool } from '../../rpc/param-types.ts';
import { parameterError } from '../../rpc/params.ts';
import type { Session } from '../../rpc/session.ts';
import type { Restriction } from '../../runes/restriction.ts';
import { decodeRune, encodeRune, type Rune, testedRestrictions } from '../../runes/rune.ts';
import { FORWARDS_ALL, FORWARDS_NONE, type RuneBook } from '../../runes/rune-book.ts';
import { uniqueIdOf } from '../../runes/rune-check.ts';
import { defineCommand } from '../context.ts';
import { restrictionsParam, runeParam } from './rune-params.ts';

/** Maximum bytes of all restrictions of a rune, which must fit in an HTTP header, in base64. */
const MAX_RESTRICTIONS_BYTES = 8192;

const UNRESTRICTED =
  'WARNING: This rune has no restrictions! Anyone who has access to this rune could drain funds from your node. Be ' +
  'careful when giving this to apps that you don’t trust. Consider using the restrictions parameter to only allow ' +
  'access to specific rpc methods.';

/** Whether a restriction permits everything: one of its alternatives is a comment, such as the mark of `forward`. */
const isComment = (alternatives: Restriction): boolean =>
  alternatives.some(({ condition }) => condition === '#');

function resultOf(rune: Rune, runes: RuneBook) {
  const text = encodeRune(rune);
  const id = String(uniqueIdOf(rune));
  const { isOurs, isBlacklisted } = runes.standing(rune, text);
  return {
    rune: text,
    unique_id: id,
    warning_unrestricted_rune: testedRestrictions(rune).every(isComment) ? UNRESTRICTED : undefined,
    warning_blacklisted: isOurs && isBlacklisted ? blacklisted(id) : undefined,
  };
}

const blacklisted = (id: string): string =>
  `WARNING: This rune permits nothing, because its unique_id ${id} is on the blacklist. ` +
  `\`blacklistrune start=${id} relist=true\` removes it from there.`;

/**
 * The restrictions of the new rune that control its access to methods of the attached node. A request with a rune that
 * lacks this access cannot create a rune that has it.
 * @throws FulguriteError invalidParams
 */
function markOf(forward: boolean, session: Session, runes: RuneBook): readonly Restriction[] {
  if (session.rune !== undefined) {
    const maker = decodeRune(session.rune);
    if (maker === undefined || !runes.forwardsAll(maker)) {
      if (forward)
        throw parameterError('forward', 'the rune of this request does not have forward access itself');
      return [FORWARDS_NONE];
    }
  }
  return forward ? [FORWARDS_ALL] : [];
}

/** Matches Core Lightning's command. @throws FulguriteError storeFailed, invalidParams */
export const createrune = defineCommand({
  name: 'createrune',
  summary: 'Create a rune that permits its holder to call commands over HTTP.',
  description:
    'A rune is a secret text that contains its restrictions. Each restriction is an array of alternatives, ' +
    'at least one of which must hold, such as `method=keysend`, `outgo<10000sat`, `time<1900000000`, ' +
    '`rate=6` (at most one use per ten seconds) or `per=1day`. `outgo` is the maximum that a request can ' +
    'spend: its amount plus its fee limit. `node=NAME` limits the rune to one of our several nodes: a payment must ' +
    'name this node in `nodes`. `outgoday` includes what was spent in the last 24 hours. A limit ' +
    'on the amount alone (`pnameamountmsat`) does not limit fees. `readonly` permits `summary` and commands that begin ' +
    'with `list` or `get`, except `listdatastore`. A restriction on a parameter by name (`pname…`) refuses positional parameters, ' +
    'and a restriction by position (`parr0`) refuses named parameters. With `rune`, adds restrictions to ' +
    'that rune, which may be from any node; it keeps its unique_id, its use and its place in the blacklist, ' +
    'and nothing is stored. A method that the attached node executes (see `help`) needs a rune made with ' +
    '`method=METHOD`, or with `forward` true; restrictions added later do not count.',
  category: 'utility',
  since: 'Core Lightning v23.08',
  params: {
    rune: optional(runeParam, 'A rune to restrict further. Without it, a new one is created and stored.'),
    restrictions: optional(
      atMost(restrictionsParam, MAX_RESTRICTIONS_BYTES),
      '`readonly`, or an array of restrictions, each an array of alternatives. Without restrictions, the ' +
        'rune permits every command of this service.',
    ),
    forward: withDefault(
      bool,
      false,
      'Permit every method that the attached node executes, such as `withdraw`, within the restrictions. ' +
        'Only for a new rune, created over the socket or with a rune that has `forward` itself.',
    ),
  },
  // Unlimited, because a new rune would not inherit the spending limit of the rune that requests it.
  outgo: () => undefined,
  result: {
    rune: field('string', 'The rune: a secret.'),
    unique_id: field('string', 'The id of the rune, for `blacklistrune`.'),
    warning_unrestricted_rune: optionalField(
      'string',
      'Present if the rune has no restrictions other than comments.',
    ),
    warning_blacklisted: optionalField(
      'string',
      'Present if the unique_id of the rune is on the blacklist, so that the rune permits nothing.',
    ),
  },
  async handler({ rune, restrictions = [], forward }, { runes, networkPort }, { session }) {
    if (rune === undefined) {
      const marks = networkPort.nodeBehind() === undefined && !forward ? [] : markOf(forward, session, runes);
      return resultOf(await runes.create([...restrictions, ...marks]), runes);
    }
    if (forward)
      throw parameterError(
        'forward',
        'only a new rune can have forward access, not a rune that is restricted further',
      );
    return resultOf(runes.narrow(rune.rune, restrictions), runes);
  },
});

/** An alias of `createrune`, as in Core Lightning. */
export const invokerune = defineCommand({ ...createrune, name: 'invokerune' });
