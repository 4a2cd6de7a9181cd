/** The client's advice on errors that a person can correct. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adviceOn, inBothUnits, satText } from '../../../src/cli/client/advice.ts';
import { editDistance, nearest } from '../../../src/cli/options/nearest.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import { ERRORS } from '../../../src/model/errors.ts';
import { parseMsat } from '../../../src/model/msat.ts';

const told = (method: string, error: object) =>
  adviceOn({ code: ERRORS.invalidParams.code, ...error }, method, COMMANDS, 'fulgurite');
const ofAmount = (value: string) =>
  told('keysend', { parameter: 'amount_msat', reason: 'should be a millisatoshi amount', value });

describe('an amount that cannot be read', () => {
  it.each([
    ['1000sats', '1000sat (1000 sat = 1000000 msat)'],
    ['1e3', '1000 (1 sat = 1000 msat)'],
    ['1,000sat', '1000sat (1000 sat = 1000000 msat)'],
    ['1 000 sat', '1000sat (1000 sat = 1000000 msat)'],
    ['1.5sat', '1.500sat (1.500 sat = 1500 msat)'],
    ['1.5e3sat', '1500sat (1500 sat = 1500000 msat)'],
    ['+7SAT', '7sat (7 sat = 7000 msat)'],
    ['0.1 BTC', '0.1btc (10000000 sat = 10000000000 msat)'],
    ['5 millisatoshis', '5msat (0.005 sat = 5 msat)'],
  ])('%s: the intended form, in both units', (value, meant) => {
    expect(ofAmount(value)).toMatch(/^Did you mean /);
    expect(ofAmount(value)).toContain(`Did you mean ${meant}? Amounts are written`);
  });

  it.each(['1,5sat', '-5', '1.5', 'ten', '1000k', '0.00001sat', '1e99', ''])(
    '%j: only the accepted forms',
    (value) => {
      expect(ofAmount(value)).toMatch(
        /^Amounts are written 1000 or 1000msat .*1sat, 1\.500sat .*0\.00000001btc/,
      );
    },
  );

  it('suggests only forms that work', () => {
    const some = fc.stringMatching(/^[+-]?[0-9]{0,12}[., _]?[0-9]{0,6}(e[0-9]{1,2})? ?[a-zA-Z]{0,6}$/);
    fc.assert(
      fc.property(some, (value) => {
        const meant = /^Did you mean (\S+) \((\S+) sat = (\d+) msat\)/.exec(ofAmount(value)!);
        if (meant !== null) expect(parseMsat(meant[1]!)).toBe(BigInt(meant[3]!));
      }),
    );
  });

  it('of zero: explains what zero means', () => {
    for (const reason of ['must be non-zero', 'amount must be non-zero']) {
      expect(told('keysend', { parameter: 'amount_msat', reason, value: '0' })).toMatch(
        /^0 is not a valid amount\. .*A fee limit of 0 is allowed/,
      );
    }
    // A parameter that is not an amount gets no hint about a fee limit of 0.
    expect(told('getroutes', { parameter: 'maxparts', reason: 'maxparts must be non-zero' })).toBe(
      'See: fulgurite help getroutes',
    );
  });
});

describe('an unknown name', () => {
  it.each([
    ['keysed', 'keysend'],
    ['getroutess', 'getroutes'],
    ['list-nodes', 'listnodes'],
    ['askrene-listlayer', 'askrene-listlayers'],
    ['strat', 'start'],
    ['getrout', 'getroute'],
    ['GETINFO', 'getinfo'],
  ])('%s: suggests %s', (name, meant) => {
    const advice = adviceOn({ code: ERRORS.unknownMethod.code }, name, COMMANDS, 'fulgurite');
    expect(advice).toBe(`Did you mean ${meant}? All commands: fulgurite help`);
  });

  it('unlike any other: shows where all names are listed', () => {
    const advice = adviceOn({ code: ERRORS.unknownMethod.code }, 'openchannel', COMMANDS, 'fulgurite');
    expect(advice).toBe('All commands: fulgurite help');
  });

  it('of a parameter: the intended one, and the command’s help', () => {
    expect(told('keysend', { parameter: 'amount_mast', reason: 'unknown' })).toBe(
      'Did you mean amount_msat? See: fulgurite help keysend. With -k, every argument is NAME=VALUE.',
    );
    expect(told('keysend', { parameter: 'destination', reason: 'missing' })).toBe(
      'See: fulgurite help keysend',
    );
  });

  it('there is no advice for other errors', () => {
    expect(adviceOn({ code: 205 }, 'keysend', COMMANDS, 'fulgurite')).toBeUndefined();
  });
});

describe('the distance of two words', () => {
  it('counts extra, missing, wrong and swapped letters', () => {
    expect(['ab', 'abc', 'b', 'ax', 'ba'].map((word) => editDistance('ab', word))).toEqual([0, 1, 1, 1, 1]);
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(nearest('x', ['abc'])).toBeUndefined();
  });

  it('is symmetric, and at most the length of the longer word', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance === 0).toBe(a === b);
      }),
    );
  });
});

it('writes amounts in both units', () => {
  expect([0n, 1n, 999n, 1000n, 1_000_501n].map(satText)).toEqual(['0', '0.001', '0.999', '1', '1000.501']);
  expect(inBothUnits(1_000_501n)).toBe('1000.501 sat = 1000501 msat');
});
