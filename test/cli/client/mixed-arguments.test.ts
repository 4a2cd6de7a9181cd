/** Positional arguments followed by named ones. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/client/client-arguments.ts';
import { mixedParams } from '../../../src/cli/client/mixed-arguments.ts';

const NAMES = ['destination', 'amount_msat', 'label', 'maxfeepercent', 'maxfee'];
const params = (...args: string[]) => mixedParams(args, NAMES, new Set([...NAMES, 'layers']));

describe('arguments of which the later ones', () => {
  it.each([
    [['02ab', '1sat', 'maxfee=5sat'], '{"destination":"02ab","amount_msat":"1sat","maxfee":"5sat"}'],
    [['02ab', 'amount_msat=1000'], '{"destination":"02ab","amount_msat":1000}'],
    [
      ['02ab', '5', 'label=a=b', 'maxfee='],
      '{"destination":"02ab","amount_msat":5,"label":"a=b","maxfee":""}',
    ],
    [['02ab', '5', 'maxfee=1', 'nosuch=x'], '{"destination":"02ab","amount_msat":5,"maxfee":1,"nosuch":"x"}'],
  ])('name parameters are named: %j', (args, expected) => {
    expect(params(...args)).toBe(expected);
  });

  it.each([
    [['02ab', '1sat', 'a note']],
    [['02ab', '1sat', 'order=17']],
    [['02ab', '1sat', 'https://example.com/?maxfee=5']],
    [['02ab', '1sat', '=maxfee']],
  ])('name no parameter are positional: %j', (args) => {
    expect(params(...args)).toBeUndefined();
  });

  it.each([
    [
      ['02ab', '1sat', 'maxfe=5sat'],
      "Unknown parameter maxfe. Did you mean maxfee? If 'maxfe=5sat' is a value, add -o",
    ],
    [['02ab', '1sat', 'maxfe=5sat', 'label=x'], 'Did you mean maxfee?'],
    [['02ab', '1sat', 'layers=[]'], "Unknown parameter layers. If 'layers=[]' is a value, add -o"],
    [['02ab', 'maxfee=5sat', '1sat'], "Positional argument '1sat' after 'maxfee=5sat'"],
    [['02ab', '1sat', 'destination=03ab'], 'Parameter destination is given twice'],
    [['02ab', '1sat', 'maxfee=1', 'maxfee=2'], 'Parameter maxfee is given twice'],
    [['1', '2', '3', '4', '5', '6', 'label=x'], "Too many positional arguments before 'label=x'"],
  ])('are unclear are refused: %j', (args, reason) => {
    expect(() => params(...args)).toThrow(UsageError);
    expect(() => params(...args)).toThrow(reason);
  });
});
