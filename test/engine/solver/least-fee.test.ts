/**
 * The minimum fee limit that works, with a simulated search that knows which limits work and the fee of the
 * answer within each.
 *
 * The search for several parts is a heuristic. It may find an answer with a fee of 500 msat within a limit of
 * 990 msat, but none within 500 msat.
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

/** The limit reported after an answer with a fee of 1,000 msat, and the limits that were searched. */
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

describe('the minimum fee limit', () => {
  it('is the fee of the answer if no answer exists for 1 % less', () => {
    const { maxfeeMsat, asked } = told({ usedMsat: () => undefined, works: () => false });
    expect(maxfeeMsat).toBe(1000n);
    expect(asked).toEqual([{ limit: 990n, isDoubtful: false }]);
  });

  it('is the fee of a cheaper answer if that limit works', () => {
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

  // The middle of 500 and 990 is 745. With that limit, the answer still pays 500, but the limits 500, 619 and
  // 738 do not work.
  it('continues below a limit that yields the cheaper answer if the fee of that answer does not work as limit', () => {
    const { maxfeeMsat, asked } = told({
      usedMsat: (limit) => (limit >= 745n ? 500n : undefined),
      works: (limit) => limit >= 745n,
    });
    expect(maxfeeMsat).toBe(745n);
    expect(asked.map(({ limit }) => limit)).toEqual([990n, 745n]);
  });

  it('is 1 % less if nothing lower works', () => {
    const { maxfeeMsat } = told({
      usedMsat: (limit) => (limit === 990n ? 500n : undefined),
      works: (limit) => limit === 990n,
    });
    expect(maxfeeMsat).toBe(990n);
  });

  it('is searched with the full effort if the search that found it was cut short', () => {
    const { asked } = told({ usedMsat: () => undefined, works: () => false, isDoubtful: true });
    expect(asked).toEqual([{ limit: 990n, isDoubtful: true }]);
  });

  it('is the fee of the answer within the found limit if that fee is more than 1 % lower', () => {
    const { maxfeeMsat, asked } = told({
      foundUsesMsat: 900n,
      usedMsat: () => undefined,
      works: (limit) => limit === 900n,
    });
    expect(maxfeeMsat).toBe(900n);
    // The limit 900 msat is tried, which gives the fee of its answer. Then a limit that is 1 % lower is tried.
    expect(asked.map(({ limit }) => limit)).toEqual([900n, 891n]);
  });

  it('stays above the limit of the request even if a later search succeeds within that limit', () => {
    // The first search found nothing within the limit of the request. If the suggested limit were not above that
    // limit, the request would be repeated forever.
    const { maxfeeMsat } = told({ usedMsat: () => 0n, works: () => true });
    expect(maxfeeMsat).toBeGreaterThan(OWN.maxfeeMsat);
    expect(maxfeeMsat).toBeLessThan(FOUND);
  });

  it('is unchanged if no request is known to find a cheaper answer', () => {
    expect(told({ usedMsat: () => 500n, works: () => false }).maxfeeMsat).toBe(1000n);
  });

  it('is not reported if the effort ends before a lower limit is known to fail', () => {
    const spent = (): never => {
      throw new Spent();
    };
    expect(() => told({ usedMsat: spent, works: () => false })).toThrow(Spent);
    expect(() => told({ usedMsat: () => 500n, works: spent })).toThrow(Spent);
  });
});
