import { describe, expect, it } from 'vitest';
import { parseClientArguments, UsageError } from '../../../src/cli/client/client-arguments.ts';

const params = (...argv: string[]) => parseClientArguments(argv).params;

describe('arguments of a method', () => {
  it.each([
    [['m'], '[]'],
    [['m', '5', '0.5', 'true', 'false', 'null'], '[5,0.5,true,false,null]'],
    [['m', '18446744073709551615', '-5'], '[18446744073709551615,-5]'],
    [['m', '[1,"x"]', '{"a": 1}', '"quoted"'], '[[1,"x"],{"a": 1},"quoted"]'],
    [
      ['m', '1sat', '01', '1.2.3', '1x2x3/0', '', 'a"b', '{bad', 'True'],
      '["1sat","01","1.2.3","1x2x3/0","","a\\"b","{bad","True"]',
    ],
    [['m', 'a=1', 'b=x', 'c=', 'd=x=y', 'e=[1]'], '{"a":1,"b":"x","c":"","d":"x=y","e":[1]}'],
    [['m', 'x', 'a=1'], '["x","a=1"]'],
    [['-k', 'm', 'a=1'], '{"a":1}'],
    [['m', '-k', 'a=1'], '{"a":1}'],
    [['-k', 'm'], '{}'],
    [['-o', 'm', 'a=1'], '["a=1"]'],
    [['m', '--', '-k', '--rpc-file'], '["-k","--rpc-file"]'],
    [['m', '-x'], '["-x"]'],
  ])('%j', (argv, expected) => {
    expect(params(...argv)).toBe(expected);
    expect(() => JSON.parse(expected)).not.toThrow();
  });

  it('may precede or follow the options of the client', () => {
    const expected = {
      method: 'm',
      rpcFile: '/s',
      filter: '{"a":true}',
      notifications: 'none',
      output: 'json',
    };
    const options = ['--rpc-file', '/s', '-F', '{"a":true}', '-N', 'none', '-J'];
    expect(parseClientArguments([...options, 'm', 'x'])).toMatchObject({ ...expected, params: '["x"]' });
    expect(parseClientArguments(['m', 'x', ...options])).toMatchObject({ ...expected, params: '["x"]' });
    expect(parseClientArguments(['--rpc-file=/s', '--filter={"a":true}', 'm']).rpcFile).toBe('/s');
  });

  it.each([
    [[]],
    [['-k']],
    [['--nosuch', 'm']],
    [['-k', 'm', 'x']],
    [['m', 'a=1', 'x']],
    [['m', '--rpc-file']],
    [['--data-dir', '', 'm']],
    [['--rpc-file=', 'm']],
    [['-N', 'loud', 'm']],
    [['-F', '{bad', 'm']],
    [['--raw=1', 'm']],
  ])('%j is bad usage', (argv) => {
    expect(() => parseClientArguments(argv)).toThrow(UsageError);
  });
});
