/** A daemon beside LND, called over its socket: features that are missing beside LND, and the reasons. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Daemon, startDaemon } from '../../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../../src/cli/options/start-options.ts';
import { type LineLnd, lineLnd } from '../../lnd/line-lnd.ts';
import { memoryLog, RawClient } from '../../rpc/support.ts';

let all: LineLnd;
let daemon: Daemon;
beforeEach(async () => {
  all = lineLnd();
  await all.node.start();
  const options = parseStartOptions([
    ...['--network', 'lnd', '--workers', '1', '--chain', 'bitcoin', '--lnd-rpc', all.node.address],
    ...['--lnd-cert', all.certPath, '--lnd-macaroon', all.macaroonPath],
    ...['--data-dir', `${all.directory}/ours`],
  ]);
  daemon = await startDaemon(options, memoryLog());
});
afterEach(async () => {
  await daemon?.stop();
  all.close();
});

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
async function ask(method: string, params: object = {}): Promise<any> {
  const client = new RawClient(daemon.socketPath);
  const answer = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
  client.socket.destroy();
  return answer.error ?? answer.result;
}

test('an offer for which LND could not be paid is refused, and none is created', async () => {
  const terms = { amount: 'any', description: 'tea' };
  const refused = {
    code: -32005,
    message: expect.stringContaining('LND has no offers'),
    data: { network_kind: 'lnd' },
  };
  expect(await ask('offer', terms)).toMatchObject(refused);
  expect(await ask('check', { command_to_check: 'offer', ...terms })).toMatchObject(refused);
  expect((await ask('listoffers')).offers).toEqual([]);
});
