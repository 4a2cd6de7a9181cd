/**
 * The odds learned from attempts: probabilities under each prior are compared with numerical integration, and
 * the whole model is tested on random networks to which it was not fitted.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Draws } from '../../../src/model/draws.ts';
import {
  type BalancePrior,
  columnsOf,
  passingChance,
  passingChances,
} from '../../../src/payments/learn/balance-prior.ts';
import { type KnownHop, OddsModel } from '../../../src/payments/learn/odds-model.ts';
import { Recalibration } from '../../../src/payments/learn/recalibration.ts';
import { nodeId } from '../../reference/tiny-graph.ts';

const priors: fc.Arbitrary<BalancePrior> = fc.oneof(
  fc.constant({ kind: 'uniform' } as const),
  fc.double({ min: 0.02, max: 1, noNaN: true }).map((scale) => ({ kind: 'bimodal', scale }) as const),
  fc.double({ min: 0, max: 0.99, noNaN: true }).map((share) => ({ kind: 'onesided', share }) as const),
);

/**
 * Probability that the balance lies in [from, to], by the midpoint rule. Point masses at the two ends are
 * included.
 */
function mass(prior: BalancePrior, from: number, to: number): number {
  const density = (x: number): number => {
    if (prior.kind === 'uniform') return 1;
    if (prior.kind === 'onesided') return 1 - prior.share;
    const { scale } = prior;
    return (Math.exp(-x / scale) + Math.exp(-(1 - x) / scale)) / (2 * scale * (1 - Math.exp(-1 / scale)));
  };
  const steps = 4000;
  let sum = 0;
  for (let step = 0; step < steps; step++) sum += density(from + ((step + 0.5) / steps) * (to - from));
  const atEnd = prior.kind === 'onesided' ? prior.share / 2 : 0;
  return (sum * (to - from)) / steps + (from <= 0 ? atEnd : 0) + (to >= 1 - 1e-9 ? atEnd : 0);
}

describe('the probability that a direction has a balance', () => {
  it('is the share of the prior above the amount, within the bounds', () => {
    const shares = fc.tuple(...[0, 0, 0].map(() => fc.double({ min: 0.001, max: 1, noNaN: true })));
    fc.assert(
      fc.property(priors, shares, (prior, three) => {
        const [least, amount, most] = three.sort((a, b) => a - b) as [number, number, number];
        const whole = mass(prior, least, most);
        fc.pre(whole > 1e-6 && amount > least && amount < 0.999);
        expect(passingChance(prior, { least, most, amount })).toBeCloseTo(
          mass(prior, amount, most) / whole,
          3,
        );
      }),
    );
  });

  it('is the same for several priors at once', () => {
    const share = fc.oneof(fc.double({ min: -0.2, max: 1.2, noNaN: true }), fc.constantFrom(0, 0.5, 1));
    fc.assert(
      fc.property(fc.array(priors), fc.tuple(share, share, share, share), (several, shares) => {
        const [least, most, amount, moved] = shares;
        const chances = new Float64Array(several.length);
        passingChances(columnsOf(several), chances, least, most, amount, moved, 0.01);
        const known = { least, most, amount, moved, reserve: 0.01 };
        expect([...chances]).toEqual(several.map((prior) => passingChance(prior, known)));
      }),
      { numRuns: 1000 },
    );
  });

  it('is conditioned on the balance before the payment: compared with drawn balances', () => {
    const shares = fc.tuple(...[0, 0].map(() => fc.double({ min: 0.02, max: 0.4, noNaN: true })));
    fc.assert(
      fc.property(priors, shares, (prior, [paid, asked]) => {
        // The direction carried `paid`, so its balance was at least that much, and is now lower by that much.
        const known = { least: 0, most: 1 - paid!, moved: paid!, amount: asked! };
        fc.pre(mass(prior, paid!, 1) > 1e-4 && asked! < 1 - paid!);
        expect(passingChance(prior, known)).toBeCloseTo(
          mass(prior, paid! + asked!, 1) / mass(prior, paid!, 1),
          3,
        );
      }),
    );
    // A channel that was full and has passed a tenth can pass a second tenth. Without the shift, it would be
    // considered nearly empty.
    const full = { least: 0, most: 0.9, amount: 0.1 };
    expect(passingChance({ kind: 'bimodal', scale: 0.01 }, { ...full, moved: 0.1 })).toBeGreaterThan(0.99);
    expect(passingChance({ kind: 'onesided', share: 1 }, { ...full, moved: 0.1 })).toBe(1);
    expect(passingChance({ kind: 'bimodal', scale: 0.01 }, full)).toBeLessThan(0.01);
  });

  it('counts the reserve of both nodes: compared with numerical integration', () => {
    const share = (max: number) => fc.double({ min: 0.02, max, noNaN: true });
    const shares = fc.tuple(share(0.4), share(0.4), share(0.1), fc.boolean());
    fc.assert(
      fc.property(priors, shares, (prior, [paid, asked, reserve, isBack]) => {
        fc.pre(asked < 1 - paid - reserve - 0.02);
        if (isBack) {
          // The opposite side paid, so this side had at most the rest. Part of what came in may be its reserve.
          const known = { least: paid, most: 1, moved: -paid, amount: asked, reserve };
          const possible = mass(prior, 0, 1 - paid);
          fc.pre(possible > 1e-4);
          const expected = mass(prior, Math.max(0, asked + reserve - paid), 1 - paid) / possible;
          expect(passingChance(prior, known)).toBeCloseTo(expected, 2);
        } else {
          // This side paid, so it had the amount and its reserve.
          const known = { least: 0, most: 1 - paid, moved: paid, amount: asked, reserve };
          const possible = mass(prior, paid + reserve, 1);
          fc.pre(possible > 1e-4);
          const expected = mass(prior, paid + asked + reserve, 1) / possible;
          expect(passingChance(prior, known)).toBeCloseTo(expected, 2);
        }
      }),
    );
    // A side that was empty, and received exactly the amount, cannot send it back. Half of all sides were.
    const back = { least: 0.1, most: 1, moved: -0.1, amount: 0.1, reserve: 0.01 };
    expect(passingChance({ kind: 'onesided', share: 1 }, back)).toBeLessThan(0.01);
    expect(passingChance({ kind: 'onesided', share: 1 }, { ...back, amount: 0.08 })).toBe(1);
  });

  it('is 1 up to the minimum, 0 above the maximum, and falls with the amount', () => {
    fc.assert(
      fc.property(priors, fc.double({ min: 0, max: 1, noNaN: true }), (prior, least) => {
        const most = least + (1 - least) / 2;
        expect(passingChance(prior, { least, most, amount: least })).toBe(1);
        expect(passingChance(prior, { least, most, amount: most + 1e-9 })).toBe(0);
        let before = 1;
        for (let step = 1; step <= 10; step++) {
          const chance = passingChance(prior, { least, most, amount: least + (step / 10) * (most - least) });
          expect(chance).toBeLessThanOrEqual(before + 1e-9);
          expect(chance).toBeGreaterThanOrEqual(0);
          before = chance;
        }
      }),
    );
  });
});

/** A network of channels with hidden balances, and a payer that knows nothing at first. */
function played(prior: 'uniform' | 'bimodal' | 'halves', away: number, seed: bigint) {
  const draws = new Draws(seed);
  const balanceOf = (channel: number): number => {
    const [u, side] = [draws.uniform(1, channel), draws.uniform(2, channel)];
    if (prior === 'uniform') return u;
    if (prior === 'halves') return side < 0.5 ? u : side < 0.75 ? 0 : 1;
    const fall = Math.min(1, -0.07 * Math.log(1 - u));
    return side < 0.5 ? fall : 1 - fall;
  };
  let now = 0;
  const model = new OddsModel(() => now);
  const stated: { chance: number; uniform: number; hasArrived: boolean }[] = [];
  for (let attempt = 0; attempt < 1500; attempt++) {
    now += 10;
    const nodes = [0, 1, 2].map((hop) => Math.floor(200 * draws.uniform(3, attempt * 3 + hop)));
    const hops = nodes.map((node, hop): KnownHop => {
      const channel = attempt * 3 + hop;
      return {
        to: nodeId(node),
        isOwn: hop === 0,
        least: 0,
        most: 1,
        amount: 0.3 * draws.uniform(4, channel),
        ofClass: 1,
        ageS: 0,
      };
    });
    const failing = hops.findIndex(
      ({ isOwn, amount }, hop) =>
        draws.uniform(5, nodes[hop]!) < away || (!isOwn && balanceOf(attempt * 3 + hop) < amount),
    );
    const hasArrived = failing < 0;
    const uniform = hops.slice(1).reduce((product, { amount }) => product * (1 - amount), 1);
    stated.push({ chance: model.chance(hops), uniform, hasArrived });
    model.observe(hops, hasArrived ? { kind: 'arrived' } : { kind: 'failed', index: failing, blames: 'hop' });
  }
  return { model, stated: stated.slice(500) };
}

const logLoss = (of: readonly { chance: number; hasArrived: boolean }[]): number =>
  of.reduce((sum, { chance, hasArrived }) => sum - Math.log(hasArrived ? chance : 1 - chance), 0) / of.length;

describe('learned odds', () => {
  it.each([
    ['uniform', 0],
    ['uniform', 0.1],
    ['bimodal', 0],
    ['bimodal', 0.1],
    ['halves', 0],
    ['halves', 0.1],
  ] as const)('are accurate for %s balances with a share of %d of nodes away', (prior, away) => {
    const { stated } = played(prior, away, 7n);
    const mean = stated.filter(({ hasArrived }) => hasArrived).length / stated.length;
    const ofMean = logLoss(stated.map(({ hasArrived }) => ({ chance: mean, hasArrived })));
    const ofUniform = logLoss(stated.map(({ uniform, hasArrived }) => ({ chance: uniform, hasArrived })));
    expect(logLoss(stated)).toBeLessThan(ofMean);
    if (prior === 'uniform' && away === 0) expect(logLoss(stated)).toBeLessThan(1.02 * ofUniform);
    else expect(logLoss(stated)).toBeLessThan(ofUniform);
    // In every fifth of the probability range with enough attempts, stated probabilities agree with outcomes
    // within four standard errors and 4 percentage points.
    for (let fifth = 0; fifth < 5; fifth++) {
      const those = stated.filter(({ chance }) => Math.min(4, Math.floor(5 * chance)) === fifth);
      if (those.length < 30) continue;
      const said = those.reduce((sum, { chance }) => sum + chance, 0) / those.length;
      const came = those.filter(({ hasArrived }) => hasArrived).length / those.length;
      const error = Math.sqrt((said * (1 - said)) / those.length);
      expect(Math.abs(came - said)).toBeLessThan(4 * error + 0.04);
    }
  });

  it('are hardly influenced by a node that fails ever smaller amounts on purpose, on all its channels', () => {
    const { model } = played('uniform', 0.02, 11n);
    const honest = (): number =>
      model.chance(
        [20, 21, 22].map(
          (n): KnownHop => ({
            to: nodeId(n),
            isOwn: n === 20,
            least: 0,
            most: 1,
            amount: 0.1,
            ofClass: 1,
            ageS: 0,
          }),
        ),
      );
    const before = honest();
    for (let channel = 0; channel < 16; channel++) {
      let most = 1;
      // Each lie lowers the bound. A further failure above the bound teaches nothing.
      for (let lie = 0; lie < 12; lie++) {
        const amount = most / 2;
        const hop = { to: nodeId(190), isOwn: false, least: 0, most, amount, ofClass: 1, ageS: 0 } as const;
        const own = {
          to: nodeId(191),
          isOwn: true,
          least: 1,
          most: 1,
          amount: 0,
          ofClass: 1,
          ageS: 0,
        } as const;
        model.observe([own, hop], { kind: 'failed', index: 1, blames: 'hop' });
        most = amount;
      }
    }
    expect(before - honest()).toBeLessThan(0.1);
  });

  it('are hardly influenced by a node that blames all its neighbours, or by a recipient that refuses on purpose', () => {
    const { model } = played('uniform', 0.02, 11n);
    const hopTo = (n: number, isOwn: boolean): KnownHop => ({
      ...{ to: nodeId(n), isOwn, least: 0, most: 1, amount: 0.1, ofClass: 1, ageS: 0 },
    });
    const honest = (): number => model.chance([hopTo(20, true), hopTo(21, false), hopTo(22, false)]);
    const before = honest();
    // Node 190 reports that 30 neighbours are away. None of them is on the honest route.
    for (let n = 0; n < 30; n++)
      for (let lie = 0; lie < 5; lie++)
        model.observe([hopTo(190, true), hopTo(100 + n, false)], { kind: 'failed', index: 1, blames: 'hop' });
    expect(before - honest()).toBeLessThan(0.1);
    // A payment that a recipient refuses did reach the recipient.
    const blamed = honest();
    for (let n = 0; n < 100; n++)
      model.observe([hopTo(20, true), hopTo(21, false), hopTo(191, false)], { kind: 'arrived' });
    expect(honest()).toBeGreaterThan(blamed - 0.01);
  });

  it('do not take lack of balance for the absence of a node', () => {
    // Channels of node 1 turn out to be empty one after the other, and each is tried with smaller amounts.
    const model = new OddsModel(() => 0);
    const hop = (most: number): KnownHop => ({
      ...{ to: nodeId(1), isOwn: false, least: 0, most, amount: most / 2, ofClass: 1, ageS: 0 },
    });
    const fail = (most: number): void =>
      model.observe([hop(most)], { kind: 'failed', index: 0, blames: 'hop' });
    let odds = model.awayRate / (1 - model.awayRate);
    for (let channel = 0; channel < 3; channel++) {
      odds /= 1 - model.balanceChance(hop(1));
      fail(1);
      // Bayes' rule for a node that is either away or not: the first failure of a channel multiplies the odds by 1 /
      // P(lack of balance). Failures of a channel that is known to be nearly empty say little.
      for (let most = 0.5; most > 1e-4; most /= 2) {
        odds /= 1 - model.balanceChance(hop(most));
        fail(most);
      }
      expect(model.awayChance(nodeId(1))).toBeLessThan(1.05 * (odds / (1 + odds)));
      expect(model.awayChance(nodeId(1))).toBeGreaterThan(model.awayRate);
    }
    // A failure although the balance certainly sufficed is due to the node.
    const before = model.awayChance(nodeId(2));
    const certain = { ...hop(1), to: nodeId(2), least: 0.6 };
    model.observe([certain], { kind: 'failed', index: 0, blames: 'hop' });
    expect(model.awayChance(nodeId(2))).toBeGreaterThan(10 * before);
  });

  it('count a failure once if several parts that crossed the same direction at once fail', () => {
    const hop = (least: number, most: number): KnownHop => ({
      ...{ to: nodeId(1), isOwn: false, least, most, amount: 0.01, ofClass: 1, ageS: 0 },
    });
    const model = new OddsModel(() => 0);
    // When they were sent, nothing was known about the direction. After the first failure it is known to be empty.
    const fail = (most: number): void =>
      model.observe([hop(0, 1)], { kind: 'failed', index: 0, blames: 'hop', knownAtEnd: hop(0, most) });
    fail(1);
    const [away, balance] = [model.awayChance(nodeId(1)), model.balanceChance(hop(0, 1))];
    for (let part = 1; part < 8; part++) fail(0.005);
    expect(model.awayChance(nodeId(1))).toBeCloseTo(away, 2);
    expect(model.balanceChance(hop(0, 1))).toBeCloseTo(balance, 2);
  });

  it('learn from a node that carries many amounts, however many', () => {
    // Minimums that are an hour old still hold.
    let now = 0;
    const model = new OddsModel(() => now);
    const hop = (to: number): KnownHop => ({
      ...{ to: nodeId(to), isOwn: false, least: 0.5, most: 1, amount: 0.4, ofClass: 1, ageS: 3600 },
    });
    const before = model.balanceChance(hop(1));
    for (let n = 1; n <= 400; n++) {
      now += 10;
      model.observe([{ ...hop(0), isOwn: true }, hop(n)], { kind: 'arrived' });
    }
    expect(before).toBeLessThan(0.97);
    expect(model.balanceChance(hop(1))).toBeGreaterThan(0.995);
  });

  it.each([0.0056, 0.05, 0.17])('find the scale of bimodal balances: %d', (scale) => {
    const draws = new Draws(9n);
    const model = new OddsModel(() => 0);
    const hop = (n: number, amount: number): KnownHop => ({
      ...{ to: nodeId(n % 200), isOwn: false, least: 0, most: 1, amount, ofClass: 1, ageS: 0 },
    });
    const chance = (amount: number): number =>
      passingChance({ kind: 'bimodal', scale }, { least: 0, most: 1, amount, reserve: 0.01 });
    for (let n = 0; n < 4000; n++) {
      const amount = draws.uniform(1, n) ** 3;
      const passes = draws.uniform(2, n) < chance(amount);
      model.observe(
        [hop(n, amount)],
        passes ? { kind: 'arrived' } : { kind: 'failed', index: 0, blames: 'hop' },
      );
    }
    for (const amount of [0.001, 0.01, 0.03, 0.1, 0.3])
      expect(Math.abs(model.balanceChance(hop(1, amount)) - chance(amount))).toBeLessThan(0.03);
  });

  it('apply what one class of directions showed to the others, unless they differ', () => {
    const hop = (ofClass: 1 | 2 | 3, amount = 0.05): KnownHop => ({
      ...{ to: nodeId(1), isOwn: false, least: 0, most: 1, amount, ofClass, ageS: 0 },
    });
    const model = new OddsModel(() => 0);
    const see = (ofClass: 1 | 2 | 3, share: number, count: number): void => {
      for (let n = 0; n < count; n++) {
        const passes = Math.floor((n + 1) * share) > Math.floor(n * share);
        model.observe(
          [hop(ofClass)],
          passes ? { kind: 'arrived' } : { kind: 'failed', index: 0, blames: 'hop' },
        );
      }
    };
    see(1, 0.7, 300);
    see(2, 0.7, 60);
    for (const amount of [0.01, 0.05, 0.3])
      expect(model.balanceChance(hop(2, amount))).toBeCloseTo(model.balanceChance(hop(1, amount)), 2);
    for (let n = 0; n < 10; n++) {
      see(1, 0.9, 10);
      see(3, 0.4, 10);
    }
    expect(model.balanceChance(hop(3))).toBeLessThan(0.6);
    expect(model.balanceChance(hop(1))).toBeGreaterThan(0.8);
  });

  it('learn a rate of absent nodes near zero if failures are due to balances', () => {
    // Half of all directions are empty, and no node is away.
    const draws = new Draws(3n);
    const model = new OddsModel(() => 0);
    for (let n = 0; n < 400; n++) {
      const hop: KnownHop = {
        ...{ to: nodeId(n % 200), isOwn: false, least: 0, most: 1, amount: 0.01, ofClass: 1, ageS: 0 },
      };
      const isEmpty = draws.uniform(1, n) < 0.5;
      model.observe([hop], isEmpty ? { kind: 'failed', index: 0, blames: 'hop' } : { kind: 'arrived' });
    }
    expect(model.awayRate).toBeLessThan(0.02);
  });

  it('are the same after a restart', () => {
    const { model } = played('bimodal', 0.1, 3n);
    const again = new OddsModel(() => 15_000, JSON.parse(JSON.stringify(model.state())));
    expect(again.state()).toEqual(model.state());
    const hop: KnownHop = {
      to: nodeId(3),
      isOwn: false,
      least: 0,
      most: 1,
      amount: 0.1,
      ofClass: 1,
      ageS: 0,
    };
    const { chance } = { chance: model.hopChance(hop) };
    expect(again.hopChance(hop)).toBeCloseTo(chance, 12);
  });

  it('recover when the network changes', () => {
    const { model } = played('uniform', 0, 5n);
    const hop = (n: number): KnownHop => ({
      to: nodeId(n),
      isOwn: false,
      least: 0,
      most: 1,
      amount: 0.05,
      ofClass: 1,
      ageS: 0,
    });
    const before = model.balanceChance(hop(1));
    // From now on, half of all channels are empty.
    for (let n = 0; n < 300; n++)
      model.observe(
        [hop(n % 200)],
        n % 2 === 0 ? { kind: 'arrived' } : { kind: 'failed', index: 0, blames: 'hop' },
      );
    expect(before).toBeGreaterThan(0.9);
    expect(model.balanceChance(hop(1)) * (1 - model.awayRate)).toBeLessThan(0.75);
  });
});

it('a correction moves probabilities towards the outcomes, and keeps their order', () => {
  const correction = new Recalibration();
  for (let n = 0; n < 3000; n++) correction.observe(0.9, n % 2 === 0);
  expect(correction.corrected(0.9)).toBeCloseTo(0.5, 1);
  expect(correction.corrected(0.99)).toBeGreaterThan(correction.corrected(0.9));
});
