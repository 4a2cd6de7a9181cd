/** The option `--node`: its values, what they imply, and which are refused. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseStartOptions } from '../../../src/cli/options/start-options.ts';

const start = (...nodes: string[]) => parseStartOptions(nodes.flatMap((node) => ['--node', node]));

test('several nodes imply the network, and keep their order', () => {
  const { network, nodes, graph } = start(
    'b=lnd:localhost:10009,cert=/c,macaroon=/m',
    'a=cln:/x',
    'c=lnd:,connect=/f',
  );
  expect({ network, graph }).toEqual({ network: 'several', graph: 'node' });
  expect(nodes).toEqual([
    { name: 'b', kind: 'lnd', place: { address: 'localhost:10009', certPath: '/c', macaroonPath: '/m' } },
    { name: 'a', kind: 'cln', directory: '/x', isSocket: false },
    { name: 'c', kind: 'lnd', place: { connectPath: '/f' } },
  ]);
  expect(start('a=simulated', 'b=simulated')).toMatchObject({ network: 'simulated', graph: 'synthetic' });
});

test('one node equals its own network', () => {
  const cln = start('a=cln:/x');
  expect(cln).toMatchObject({
    network: 'cln',
    nodes: [],
    nodeSocket: join('/x', 'bitcoin', 'lightning-rpc'),
  });
  const same = parseStartOptions(['--network', 'cln', '--lightning-dir', '/x']);
  expect({ ...cln, given: undefined }).toEqual({ ...same, given: undefined });
  const lnd = start('a=lnd:localhost:10009,cert=/c,macaroon=/m');
  const named = ['--lnd-rpc', 'localhost:10009', '--lnd-cert', '/c', '--lnd-macaroon', '/m'];
  expect({ ...lnd, given: undefined }).toEqual({
    ...parseStartOptions(['--network', 'lnd', ...named]),
    given: undefined,
  });
  expect(start('a=simulated')).toMatchObject({ network: 'simulated', nodes: [] });
});

test.each([
  [['a'], /NAME=cln:DIR/],
  [['A=simulated'], /NAME of up to 32/],
  [[`${'a'.repeat(33)}=simulated`], /NAME of up to 32/],
  [['a=eclair:x'], /eclair is not one of cln, lnd, simulated/],
  [['a=cln:'], /directory is missing/],
  [['a=lnd:'], /address is missing/],
  [['a=lnd:host'], /10009 by default/],
  [['a=lnd:host:1,user=x'], /takes cert=FILE/],
  [['a=lnd:host:1,cert=x,cert=y'], /once each/],
  [['a=lnd:host:1,connect=/f'], /takes no further settings/],
  [['a=simulated:x'], /takes no further settings/],
  [['a=simulated', 'a=simulated'], /two nodes are named a/],
  [['a=cln:/x', 'b=cln:/x'], /a and b are the same node/],
  [['a=cln:/x', 'b=simulated'], /cannot be combined/],
  [Array.from({ length: 51 }, (_, n) => `n${n}=simulated`), /the maximum is 50 nodes/],
] as const)('%s is refused', (nodes, message) => {
  expect(() => start(...nodes)).toThrow(message);
});

test('options that contradict the nodes are refused', () => {
  const two = ['--node', 'a=cln:/x', '--node', 'b=cln:/y'];
  expect(() => parseStartOptions([...two, '--network', 'cln'])).toThrow(/implies --network several/);
  expect(() => parseStartOptions([...two, '--lightning-dir', '/z'])).toThrow(
    /--node or --lightning-dir, not both/,
  );
  expect(() => parseStartOptions(['--network', 'several'])).toThrow(/requires --node/);
  expect(() => parseStartOptions([...two, '--forward', 'invoice'])).toThrow(
    /--forward requires --network cln/,
  );
});
