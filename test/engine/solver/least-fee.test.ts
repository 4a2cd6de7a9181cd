/**
 * The least fee limit that works, with a simulated search that knows which limits work and the fee of the answer within
 * each.
 *
 * The search for several parts is a heuristic. It may find an answer of 500 msat within 990, and none within 500.
 */
import { describe, expect, it } from 'vitest';
import { leastFee, type Terms } from '../../../src/engine/solver/remedy.ts';
import { Spent } from '../../../src/engine/solver/request-effort.ts';
import { msat } from '../../../src/model/msat.ts';

const OWN: Terms = {
  amountMsat: msat(1_000_000n),
  maxfeeMsat: msat(0n),
  maxdelay: 100,
  finalCltv: 9,
  maxparts: 5,
};

/** A limit that works. */
const FOUND = msat(1000n);

/** The limit reported, after an answer of 1,000 msat, and the limits for which the fee of an answer was asked. */
function told(world: {
  readonly usedMsat: (limit: bigint) => bigint | undefined;
  readonly works: (limit: bigint) => boolean;
  readonly isDoubtful?: boolean;
  readonly foundUsesMsat?: bigint;
}) {
  const asked: { limit: bigint; isDoubtful: boolean }[] = [];
  const asker = {
    own: OWN,
    feeOfLess({ maxfeeMsat }: Terms, isDoubtful: boolean) {
      if (maxfeeMsat === FOUND) return world.foundUsesMsat ?? FOUND;
      asked.push({ limit: maxfeeMsat, isDoubtful });
      return world.usedMsat(maxfeeMsat);
    },
    isLessAnswered: ({ maxfeeMsat }: Terms) => world.works(maxfeeMsat),
  };
  const { maxfeeMsat, ...rest } = leastFee(asker, { ...OWN, maxfeeMsat: FOUND }, world.isDoubtful ?? false);
  expect({ ...rest, maxfeeMsat: OWN.maxfeeMsat }).toEqual(OWN);
  return { maxfeeMsat, asked };
}

describe('the least fee limit', () => {
  it('is that of the answer, where a hundredth less has none', () => {
    const { maxfeeMsat, asked } = told({ usedMsat: () => undefined, works: () => false });
    expect(maxfeeMsat).toBe(1000n);
    expect(asked).toEqual([{ limit: 990n, isDoubtful: false }]);
  });

  it('is the fee of a cheaper answer, where that limit works', () => {
    const { maxfeeMsat, asked } = told({
      usedMsat: (limit) => (limit >= 500n ? 500n : undefined),
      works: (limit) => limit >= 500n,
    });
    expect(maxfeeMsat).toBe(500n);
    expect(asked).toEqual([
      { limit: 990n, isDoubtful: false },
      { limit: 500n, isDoubtful: false },
      { limit: 495n, isDoubtful: false },
    ]);
  });

  // Half way between 500 and 990 lies 745. There the answer still pays 500, but neither 500 nor 619 nor 738 works.
  it('goes on below a limit within which the cheaper answer is found, where its own fee is no limit that works', () => {
    const { maxfeeMsat, asked } = told({
      usedMsat: (limit) => (limit >= 745n ? 500n : undefined),
      works: (limit) => limit >= 745n,
    });
    expect(maxfeeMsat).toBe(745n);
    expect(asked.map(({ limit }) => limit)).toEqual([990n, 745n]);
  });

  it('is a hundredth less, where nothing further below works', () => {
    const { maxfeeMsat } = told({
      usedMsat: (limit) => (limit === 990n ? 500n : undefined),
      works: (limit) => limit === 990n,
    });
    expect(maxfeeMsat).toBe(990n);
  });

  it('is looked for with all of the effort, where the search that found it was cut short', () => {
    const { asked } = told({ usedMsat: () => undefined, works: () => false, isDoubtful: true });
    expect(asked).toEqual([{ limit: 990n, isDoubtful: true }]);
  });

  it('is the fee of the answer within the limit that was found, where that is more than a hundredth less', () => {
    const { maxfeeMsat, asked } = told({
      foundUsesMsat: 900n,
      usedMsat: () => undefined,
      works: (limit) => limit === 900n,
    });
    expect(maxfeeMsat).toBe(900n);
    // The fee of the answer within 900 msat is requested, then a hundredth less, as before.
    expect(asked.map(({ limit }) => limit)).toEqual([900n, 891n]);
  });

  it('stays above the limit of the request, where a search for less now answers that one too', () => {
    // The first search found nothing within that limit. Without a bound, this request would be repeated forever.
    const { maxfeeMsat } = told({ usedMsat: () => 0n, works: () => true });
    expect(maxfeeMsat).toBeGreaterThan(OWN.maxfeeMsat);
    expect(maxfeeMsat).toBeLessThan(FOUND);
  });

  it('stays where a cheaper answer is not shown to be found by a request', () => {
    expect(told({ usedMsat: () => 500n, works: () => false }).maxfeeMsat).toBe(1000n);
  });

  it('is not reported if the effort ends before it is known that less fails', () => {
    const spent = (): never => {
      throw new Spent();
    };
    expect(() => told({ usedMsat: spent, works: () => false })).toThrow(Spent);
    expect(() => told({ usedMsat: () => 500n, works: spent })).toThrow(Spent);
  });
});
