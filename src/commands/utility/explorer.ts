/** `explorer`: creates a link to the web page served by this node, with a read-only rune. */
import { FulguriteError } from '../../model/errors.ts';
import { field } from '../../rpc/command.ts';
import { CODE_LIFE_MS } from '../../runes/link-codes.ts';
import type { Alternative, Restriction } from '../../runes/restriction.ts';
import { encodeRune } from '../../runes/rune.ts';
import { uniqueIdOf } from '../../runes/rune-check.ts';
import { defineCommand, type NodeContext } from '../context.ts';

/** Commands that the page calls and that change nothing. They do not pay, and do not contact other nodes. */
const CALLED = [
  'askrene-listlayers',
  'askrene-difflayers',
  'askrene-listreservations',
  'createproof',
  'decode',
  'help',
  'paystatus',
  'plankeysend',
  'planrebalance',
  'planxpay',
  'rpc.discover',
];
/** How long the rune is valid, in seconds: thirty days. */
const GOOD_FOR_S = 30 * 86_400;

const method = (condition: '^' | '=', value: string): Alternative => ({ field: 'method', condition, value });

/** The restrictions of the page's rune, valid until `time` in UNIX seconds. */
function restrictionsUntil(time: number): Restriction[] {
  return [
    [method('^', 'list'), method('^', 'get'), ...CALLED.map((name) => method('=', name))],
    [{ field: 'method', condition: '/', value: 'listdatastore' }],
    [{ field: 'time', condition: '<', value: String(time) }],
  ];
}

interface PageLink {
  readonly url: string;
  readonly unique_id: string;
  readonly valid_until: number;
  readonly link_valid_until: number;
}

/** Not in Core Lightning. */
export const explorer = defineCommand({
  name: 'explorer',
  summary: 'Create a link to the web page of this node.',
  description:
    'The page is served over HTTP under /ui/; see `start --http`. The link contains a single-use code that ' +
    'is valid for one minute. The page exchanges it for a new rune, so that no rune is kept in the browser ' +
    'history. The rune permits read-only commands for thirty days. It cannot pay: to pay from ' +
    'the page, enter another rune. Anyone who opens the link first can read all data of this node. On a ' +
    'terminal, `fulgurite explorer` also opens the link. Error -1: HTTP is disabled, or the page was not ' +
    'built.',
  category: 'utility',
  params: {},
  result: {
    url: field('string', 'The link: a secret until it is opened or expires.'),
    unique_id: field('string', 'The id of its rune, for `blacklistrune`.'),
    valid_until: field('u64', 'UNIX time in seconds at which the rune expires.'),
    link_valid_until: field('u64', 'UNIX time in seconds at which the link expires.'),
  },
  handler: (_params, context) => makePageLink(context),
});

/** Makes a rune and a link for it. @throws FulguriteError unspecified, storeFailed */
export async function makePageLink({
  runes,
  linkCodes,
  httpServer,
}: Pick<NodeContext, 'runes' | 'linkCodes' | 'httpServer'>): Promise<PageLink> {
  const served = httpServer();
  if (served === undefined) {
    throw new FulguriteError(
      'unspecified',
      'The page requires HTTP, which is disabled. Start with --http HOST:PORT',
    );
  }
  const { pageUrl: url } = served;
  if (url === undefined) {
    throw new FulguriteError('unspecified', 'The page was not built. Run `npm run build`, then restart');
  }
  const now = Math.floor(Date.now() / 1000);
  const validUntil = now + GOOD_FOR_S;
  const rune = await runes.create(restrictionsUntil(validUntil));
  return {
    url: `${url}#code=${linkCodes.issue(encodeRune(rune))}`,
    unique_id: String(uniqueIdOf(rune)),
    valid_until: validUntil,
    link_valid_until: now + CODE_LIFE_MS / 1000,
  };
}
