/** A daemon beside LND, called over its socket: features that are missing beside LND, and the reasons. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DaemonHere } from '../../commands/daemon-here.ts';
import { type LineLnd, lineLnd } from '../../lnd/line-lnd.ts';

let all: LineLnd;
let daemon: DaemonHere;
beforeEach(async () => {
  all = lineLnd();
  await all.node.start();
  daemon = await DaemonHere.start(`${all.directory}/ours`, [
    ...['--network', 'lnd', '--chain', 'bitcoin', '--lnd-rpc', all.node.address],
    ...['--lnd-cert', all.certPath, '--lnd-macaroon', all.macaroonPath],
  ]);
});
afterEach(async () => {
  await daemon?.stop();
  all.close();
});

test('an offer for which LND could not be paid is refused, and none is created', async () => {
  const terms = { amount: 'any', description: 'tea' };
  const refused = {
    code: -32005,
    message: expect.stringContaining('LND has no offers'),
    data: { network_kind: 'lnd' },
  };
  expect(await daemon.answer('offer', terms)).toMatchObject(refused);
  expect(await daemon.answer('check', { command_to_check: 'offer', ...terms })).toMatchObject(refused);
  expect((await daemon.answer('listoffers')).offers).toEqual([]);
});

test('getinfo shows the addresses that LND announces', async () => {
  const address = [
    { type: 'ipv6', address: '2001:db8::7', port: 9735 },
    { type: 'torv3', address: `${'a'.repeat(56)}.onion`, port: 9736 },
  ];
  expect(await daemon.answer('getinfo')).toMatchObject({ address });
});
