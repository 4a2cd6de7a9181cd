/**
 * On the simulated network every result that contains amounts is marked as simulated, and so is each row of
 * it. No other result is marked.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/commands/index.ts';
import { showsMoney } from '../../../src/commands/network/simulated.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { DaemonProcess } from '../daemon-process.ts';

test('these are the commands that show amounts', () => {
  const names = COMMANDS.filter(showsMoney).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'getinfo',
      'keysend',
      'xkeysend',
      'plankeysend',
      'listpays',
      'listsendpays',
      'paystatus',
    ]),
  );
  expect(names).toEqual(
    expect.arrayContaining([
      'waitsendpay',
      'delpay',
      'listfunds',
      'listpeerchannels',
      'listinvoices',
      'listoffers',
    ]),
  );
  expect(names).toEqual(expect.arrayContaining(['fetchinvoice', 'offer', 'invoicerequest']));
  for (const command of COMMANDS)
    expect('simulated' in command.result, command.name).toBe(showsMoney(command));
});

describe('a daemon', () => {
  const directory = temporaryDirectory();
  let daemon: DaemonProcess;
  beforeAll(async () => {
    daemon = await DaemonProcess.start(`${directory.path}/simulated`, ['--graph', 'synthetic:60']);
  });
  afterAll(async () => {
    await daemon.stop();
    directory.remove();
  });

  test('on the simulated network marks results and rows', async () => {
    const { channels } = await daemon.result('listpeerchannels');
    const destination = channels[0].peer_id;
    const paid = await daemon.result('keysend', { destination, amount_msat: 1000 });
    expect(paid).toMatchObject({ status: 'complete', simulated: true });
    const { payment_hash } = paid;
    expect(await daemon.result('getinfo')).toMatchObject({ simulated: true, network_kind: 'simulated' });
    expect(await daemon.result('waitsendpay', { payment_hash })).toMatchObject({ simulated: true });
    expect(await daemon.result('offer', { amount: 10_000, description: 'tea' })).toMatchObject({
      simulated: true,
    });
    const lists = { listpays: 'pays', listsendpays: 'payments', paystatus: 'pay', listfunds: 'channels' };
    for (const [method, rows] of Object.entries({
      ...lists,
      listpeerchannels: 'channels',
      listoffers: 'offers',
    })) {
      const result = await daemon.result(method);
      expect(result.simulated, method).toBe(true);
      expect(result[rows].length, method).toBeGreaterThan(0);
      for (const row of result[rows]) expect(row.simulated, method).toBe(true);
    }
    expect(await daemon.result('delpay', { payment_hash, status: 'complete' })).toMatchObject({
      payments: [{ simulated: true }],
      simulated: true,
    });
    expect(await daemon.result('listnodes')).not.toHaveProperty('simulated');
  });

  test('on the real network marks nothing', async () => {
    const real = await DaemonProcess.start(`${directory.path}/peer`, ['--network', 'peer']);
    for (const method of ['getinfo', 'listpays', 'listfunds', 'listpeerchannels']) {
      expect(await real.result(method)).not.toHaveProperty('simulated');
    }
    expect(await real.result('getinfo')).toMatchObject({ network_kind: 'peer' });
    await real.stop();
  });
});
