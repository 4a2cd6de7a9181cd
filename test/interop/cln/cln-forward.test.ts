/**
 * Forwarding of calls beside a real node: the node's answers to methods that we lack, byte for byte and
 * including refusals; an invoice that is created, awaited and paid through our socket; and runes over HTTP.
 *
 *     a (we beside it) ── b ── c ── d
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { describeNeeding } from '../../needs.ts';
import { RawClient } from '../../rpc/support.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes } from './cln-nodes.ts';

const call = (method: string, params: unknown = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: `t:${method}#1`, method, params });

/** Requests whose answers do not change between two calls, and requests that are refused. */
const ASKED: readonly string[] = [
  ...['listfunds', 'listforwards', 'listinvoices', 'listtransactions', 'listdatastore', 'listhtlcs'],
  ...[
    'listclosedchannels',
    'feerates',
    'parsefeerate',
    'listaddresses',
    'bkpr-listbalances',
    'bkpr-listincome',
  ],
  ...['bkpr-listaccountevents', 'bkpr-channelsapy', 'staticbackup', 'listsqlschemas', 'listchainmoves'],
  ...['listchannelmoves', 'listnetworkevents', 'bkpr-inspect', 'deprecations', 'invoice', 'delinvoice'],
  ...[
    'waitinvoice',
    'newaddr-none',
    'withdraw',
    'fundchannel',
    'close',
    'setchannel',
    'sendpay',
    'sendonion',
  ],
  ...[
    'signmessage',
    'checkmessage',
    'makesecret',
    'txprepare',
    'txdiscard',
    'txsend',
    'fundpsbt',
    'utxopsbt',
  ],
  ...['signpsbt', 'sendpsbt', 'reserveinputs', 'unreserveinputs', 'openchannel_init', 'openchannel_abort'],
  ...[
    'addpsbtoutput',
    'datastore',
    'deldatastore',
    'sendcustommsg',
    'plugin',
    'funderupdate',
    'autoclean-status',
  ],
  ...['autoclean-once', 'createinvoice', 'signinvoice', 'preapproveinvoice', 'getemergencyrecoverdata'],
].map((method) => call(method));

/** Methods that are permitted neither by a rune for invoices nor by one without restrictions. */
const BEYOND: readonly string[] = [
  ...[
    'withdraw',
    'newaddr',
    'close',
    'fundchannel',
    'fundpsbt',
    'utxopsbt',
    'signpsbt',
    'sendpsbt',
    'txprepare',
  ],
  ...[
    'setchannel',
    'txsend',
    'sendcustommsg',
    'makesecret',
    'exposesecret',
    'signmessage',
    'datastore',
    'plugin',
  ],
  ...[
    'node-pay',
    'node-invoice',
    'node-stop',
    'node-setconfig',
    'node-withdraw',
    'node-createrune',
    'splicein',
  ],
  'dev-forget-channel',
];

const MORE: readonly string[] = [
  call('signmessage', ['hello']),
  call('makesecret', { string: 'abc' }),
  call('parsefeerate', ['10000perkb']),
  call('feerates', ['perkw']),
  call('listinvoices', { label: 'absent' }),
  call('plugin', ['list']),
  call('no-such-method', { a: [1] }),
];

describeNeeding('lightningd', haveNodes, 'the other commands of a real node', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  const clients: RawClient[] = [];
  const clientOf = (path: string): RawClient => {
    const client = new RawClient(path);
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    daemon = await startTestDaemon(['--network', 'cln', '--http', '127.0.0.1:0', ...nodes.besideA()]);
  }, 300_000);
  afterAll(async () => {
    for (const { socket } of clients) socket.destroy();
    await daemon?.stop();
    await nodes?.stop();
  }, 120_000);

  test('are answered byte for byte as the node answers them', async () => {
    const [ours, node] = [clientOf(daemon.socketPath), clientOf(nodes.socketPath('a'))];
    const help = JSON.parse((await ours.ask(call('help')))!).result.help as {
      command: string;
      forwarded?: boolean;
    }[];
    const own = new Set(
      help.filter((one) => one.forwarded !== true).map((one) => one.command.split(' ')[0]!),
    );
    const asked = [...ASKED, ...MORE].filter((text) => !own.has(JSON.parse(text).method));
    const compared = new Set<string>();
    for (const text of asked) {
      const [through, direct] = [await ours.ask(text), await node.ask(text)];
      expect(through).toBe(direct);
      compared.add(JSON.parse(text).method);
    }
    expect(compared.size).toBeGreaterThanOrEqual(40);
  }, 120_000);

  test('an invoice is created, awaited, paid by a different node, and listed through our socket', async () => {
    const ours = clientOf(daemon.socketPath);
    const waiter = clientOf(daemon.socketPath);
    const made = JSON.parse((await ours.ask(call('invoice', [20_000, 'tea', 'one tea'])))!).result;
    const waited = waiter.ask(call('waitinvoice', ['tea']));
    await nodes.call('b', 'pay', { bolt11: made.bolt11 });
    expect(JSON.parse((await waited)!).result).toMatchObject({ label: 'tea', status: 'paid' });
    const { invoices } = JSON.parse((await ours.ask(call('node-listinvoices', ['tea'])))!).result;
    expect(invoices).toMatchObject([{ status: 'paid', amount_received_msat: 20_000 }]);
  }, 120_000);

  test('over HTTP, a rune for invoices creates invoices, and permits no other method of the node', async () => {
    const ours = clientOf(daemon.socketPath);
    const made = async (params: object): Promise<string> =>
      JSON.parse((await ours.ask(call('createrune', params)))!).result.rune;
    const post = async (rune: string, method: string, params: object = {}): Promise<object> => {
      const response = await fetch(`${daemon.httpUrl}/v1/${method}`, {
        method: 'POST',
        headers: { rune, 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
      return (await response.json()) as object;
    };
    const shop = await made({ restrictions: [['method=invoice', 'method=waitinvoice']] });
    const order = { amount_msat: 30_000, label: 'over-http', description: 'x' };
    const invoice = (await post(shop, 'invoice', order)) as { bolt11: string };
    const paid = post(shop, 'waitinvoice', { label: 'over-http' });
    await nodes.call('b', 'pay', { bolt11: invoice.bolt11 });
    expect(await paid).toMatchObject({ status: 'paid', amount_received_msat: 30_000 });
    const wide = await made({});
    expect(BEYOND).toHaveLength(25);
    for (const method of BEYOND) {
      expect(await post(shop, method)).toMatchObject({ code: 1502 });
      expect(await post(wide, method)).toMatchObject({ code: 1502 });
    }
  }, 120_000);
});
