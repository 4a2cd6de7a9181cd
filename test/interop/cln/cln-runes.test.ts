/**
 * Runes beside a real Core Lightning node: with its secret, both derive the same runes and give the same
 * verdict on each request, with the same text. Restrictions and requests are random. Rates are left out,
 * since both would need the same clock.
 *
 *     secret = makesecret commando        node: createrune, checkrune        ours: issueRune, isDerived,
 *     complaintAbout
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson } from '../../../src/rpc/json-token.ts';
import { complaintAbout, type Usage } from '../../../src/runes/judge.ts';
import type { Restriction } from '../../../src/runes/restriction.ts';
import {
  decodeRune,
  encodeRune,
  isDerived,
  issueRune,
  namingRestriction,
  narrowRune,
  type Rune,
  testedRestrictions,
} from '../../../src/runes/rune.ts';
import { describeNeeding } from '../../needs.ts';
import { request, restriction, restrictions } from '../../runes/arbitrary.ts';
import { ClnNodes, haveNodes } from './cln-nodes.ts';

const SEED = 20_261_122;
const RUNES = 150;
/** Number of requests checked against each rune. */
const REQUESTS = 4;
const NEVER: Usage = { isKnown: true, lastUsedNs: undefined, spentMsat: 0n };

/** Fields that the node does not look up among the parameters. */
const NOT_LOOKED_UP = ['time', 'id', 'method', 'pnum', 'rate', 'per'];

/**
 * Whether the node's verdict depends on names that it has already freed. Core Lightning (v26.06.6) collects
 * the names of parameters for the first restriction that looks one up, and frees them with that restriction:
 * in later ones, `=` finds nothing and `!` passes.
 */
function isJudgedByFreedNames(rune: Rune, { params }: { params?: object | undefined }): boolean {
  if (params === undefined || Array.isArray(params)) return false;
  const lookups = testedRestrictions(rune).filter((alternatives) =>
    alternatives.some(({ field }) => !NOT_LOOKED_UP.includes(field)),
  );
  return lookups.length > 1;
}

const withoutNulls = <T extends object>(params: T): object =>
  Array.isArray(params)
    ? params.filter((value) => value !== null)
    : Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));

describeNeeding('lightningd', haveNodes, 'runes beside a real node', () => {
  let nodes: ClnNodes;
  let secret: Uint8Array;
  let id: string;
  beforeAll(async () => {
    nodes = await ClnNodes.start();
    const made = await nodes.call('a', 'makesecret', { string: 'commando' });
    secret = new Uint8Array(Buffer.from(made.secret, 'hex'));
    ({ id } = await nodes.call('a', 'getinfo'));
  }, 120_000);
  afterAll(() => nodes?.stop());

  /** The restrictions in the form that `createrune` accepts: without escapes. */
  const given = (all: readonly Restriction[]): string[][] =>
    all.map((one) => one.map(({ field, condition, value }) => `${field}${condition}${value}`));

  const [sample, more] = [
    fc.sample(
      restrictions.filter((all) => all.length > 0),
      { numRuns: RUNES, seed: SEED },
    ),
    fc.sample(restriction, { numRuns: RUNES, seed: SEED + 1 }),
  ];
  // Over HTTP the node drops parameters that are null before it checks the rune. In our code, the check
  // itself drops them.
  const requests = fc
    .sample(request, { numRuns: RUNES * REQUESTS, seed: SEED + 2 })
    .map(({ method, params }) => ({ method, params: params && withoutNulls(params) }));

  /**
   * The node's complaint about a request with a rune; undefined if it permits the request. The node escapes
   * its complaint twice as JSON, so a backslash appears doubled.
   */
  async function judgedByNode(rune: Rune, asked: (typeof requests)[number], nodeid?: string) {
    const params = { rune: encodeRune(rune), ...asked, ...(nodeid !== undefined && { nodeid }) };
    return nodes.call('a', 'checkrune', params).then(
      ({ valid }) => (valid === true ? undefined : 'not valid'),
      (error: Error) => JSON.parse(`"${error.message}"`) as string,
    );
  }

  function judgedByUs(rune: Rune, asked: (typeof requests)[number], nodeId?: string): string | undefined {
    const params = asked.params === undefined ? undefined : parseJson(JSON.stringify(asked.params));
    const complaint = complaintAbout(
      testedRestrictions(rune),
      { method: asked.method, params, nodeId },
      NEVER,
      Date.now(),
    );
    return complaint === undefined ? undefined : `Not permitted: ${complaint}`;
  }

  test('both derive the same runes, restrict them alike, and give the same verdicts', async () => {
    const verdicts = { permitted: 0, refused: 0 };
    for (const [n, all] of sample.entries()) {
      const made = await nodes.call('a', 'createrune', { restrictions: given(all) });
      const theirs = decodeRune(made.rune)!;
      expect(isDerived(secret, theirs)).toBe(true);
      const ours = issueRune(secret, [namingRestriction(BigInt(made.unique_id)), ...all]);
      expect(encodeRune(ours)).toBe(made.rune);
      const narrowed = await nodes.call('a', 'createrune', {
        rune: encodeRune(ours),
        restrictions: given([more[n]!]),
      });
      const narrower = narrowRune(theirs, more[n]!);
      expect(encodeRune(narrower)).toBe(narrowed.rune);
      for (let k = 0; k < REQUESTS; k++) {
        const asked = requests[n * REQUESTS + k]!;
        const rune = k % 2 === 0 ? ours : narrower;
        if (isJudgedByFreedNames(rune, asked)) continue;
        const nodeId = k < 2 ? undefined : id;
        const expected = await judgedByNode(rune, asked, nodeId);
        expect([n, k, judgedByUs(rune, asked, nodeId)]).toEqual([n, k, expected]);
        verdicts[expected === undefined ? 'permitted' : 'refused']++;
      }
    }
    // Both verdicts occurred often, so the agreement is meaningful.
    expect(Math.min(verdicts.permitted, verdicts.refused)).toBeGreaterThan(RUNES / 4);
  }, 300_000);

  test('a forged rune is refused by both', async () => {
    const forged = issueRune(
      secret.map((byte) => byte ^ 1),
      [namingRestriction(0n)],
    );
    expect(isDerived(secret, forged)).toBe(false);
    expect(await judgedByNode(forged, { method: 'list', params: undefined })).toContain(
      'Not derived from master',
    );
  });
});
