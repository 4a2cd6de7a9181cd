/**
 * Read-only commands leave the data directory of a running node unchanged, byte for byte, and its layers as
 * well. All other commands change something; they are listed here with their changes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { COMMANDS } from '../../src/commands/index.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { commitsOf } from '../store/commits.ts';
import { DaemonProcess } from './daemon-process.ts';

const CHANGES: Readonly<Record<string, string>> = {
  addwebhook: 'the webhooks',
  'askrene-age': 'a layer',
  'askrene-bias-channel': 'a layer',
  'askrene-bias-node': 'a layer',
  'askrene-create-channel': 'a layer',
  'askrene-create-layer': 'the layers',
  'askrene-disable-node': 'a layer',
  'askrene-inform-channel': 'a layer',
  'askrene-remove-channel-update': 'a layer',
  'askrene-remove-layer': 'the layers',
  'askrene-reserve': 'reservations',
  'askrene-unreserve': 'reservations',
  'askrene-update-channel': 'a layer',
  backup: 'makes a directory',
  batching: 'the connection',
  blacklistrune: 'the blacklist of runes',
  cancelrecurringinvoice: 'sends a request',
  checkrune: 'the time at which the rune was last used',
  connect: 'connections',
  createrune: 'makes one',
  delpay: 'the journal of payments',
  delwebhook: 'the webhooks',
  deprecations: 'the connection',
  destroyrune: 'the blacklist of runes',
  disableinvoicerequest: 'the request',
  disableoffer: 'the offer',
  delquote: 'the quotes',
  disconnect: 'connections',
  explorer: 'makes a rune',
  delinvoice: 'the invoices',
  exportmissioncontrol: "LND's mission control",
  fetchinvoice: 'sends a request',
  invoice: 'makes one',
  importlearned: 'the lessons',
  importbeliefs: 'a layer',
  importmissioncontrol: 'a layer',
  importnodehistory: 'a layer, and the learned odds',
  invoicerequest: 'makes one',
  invokerune: 'makes one',
  keysend: 'pays',
  notifications: 'the connection',
  offer: 'makes one',
  pay: 'pays',
  plantransfer: 'the invoices of the node that would receive',
  quote: 'the quotes',
  rebalance: 'pays',
  sendonion: 'pays',
  sendpay: 'pays',
  setconfig: 'the configuration',
  setournode: 'the settings of our nodes',
  simulatedinvoice: 'makes one',
  simulatepayer: 'a node pays us',
  stop: 'ends the service',
  transfer: 'pays',
  xkeysend: 'pays',
  xpay: 'pays',
};

const readOnly = COMMANDS.filter((command) => command.readOnly === true).map(({ name }) => name);

test('every command either only reads or is known to change something', () => {
  const all = COMMANDS.map(({ name }) => name).sort();
  expect([...readOnly, ...Object.keys(CHANGES)].sort()).toEqual(all);
});

test('commands that Core Lightning’s read-only rune permits by name (list*, get*) are read-only', () => {
  const permitted = COMMANDS.map(({ name }) => name).filter((name) => /^(list|get)/.test(name));
  expect(permitted.filter((name) => !readOnly.includes(name))).toEqual([]);
});

/** Time limit for steps that take a second on an idle machine. */
const PATIENCE = { timeout: 60_000, interval: 50 };

describe('the daemon', () => {
  const directory = temporaryDirectory();
  const home = join(directory.path, 'home');
  let daemon: DaemonProcess;

  beforeAll(async () => {
    const options = ['--graph', 'synthetic:300', '--seed', '7', '--developer'];
    daemon = await DaemonProcess.start(home, options);
  });
  afterAll(async () => {
    await daemon?.stop();
    directory.remove();
  });

  /**
   * File contents by name. The socket has none, and the index of SQLite's log is shared memory. Lessons from the
   * test's payments are written within some seconds, at an arbitrary moment.
   */
  function files(): Map<string, string> {
    const entries = readdirSync(home, { recursive: true, withFileTypes: true });
    const regular = entries.filter((entry) => entry.isFile() && !/-shm$|^odds\.json/.test(entry.name));
    const paths = regular.map(({ parentPath, name }) => join(parentPath, name)).sort();
    return new Map(paths.map((path) => [path, readFileSync(path, 'base64')]));
  }

  const state = async () => [
    files(),
    await daemon.result('askrene-listlayers'),
    await daemon.result('listpeerchannels'),
    await daemon.result('listconfigs'),
  ];

  /**
   * Waits until all earlier changes are in the database file. First, all parts must have ended, because some end
   * after their payment is complete. Then a layer is created, because its commit includes all earlier writes.
   * Finally, all commits must have been copied from the log into the database.
   */
  async function comeToRest(): Promise<void> {
    await vi.waitFor(async () => {
      const { payments } = await daemon.result('listsendpays', { status: 'pending' });
      expect(payments).toEqual([]);
    }, PATIENCE);
    await daemon.result('askrene-create-layer', { layer: 'last', persistent: true });
    await vi.waitFor(() => {
      const { made, safe } = commitsOf(home);
      expect(safe).toBe(made);
    }, PATIENCE);
  }

  test('is unchanged by every read-only command', async () => {
    const { channels: own } = await daemon.result('listpeerchannels');
    const destination = own[0].peer_id;
    const { nodes } = await daemon.result('listnodes');
    const source = nodes.find(({ nodeid }: { nodeid: string }) => nodeid !== destination).nodeid;
    const [{ short_channel_id, direction }] = (await daemon.result('listchannels')).channels;
    const someChannel = `${short_channel_id}/${direction}`;
    const layer = 'kept';
    await daemon.result('askrene-create-layer', { layer, persistent: true });
    await daemon.result('askrene-disable-node', { layer, node: source });
    const { payment_hash } = await daemon.result('keysend', { destination, amount_msat: 5000 });
    const { bolt12 } = await daemon.result('offer', { amount: '1sat', description: 'tea' });
    const { bolt11 } = await daemon.result('simulatedinvoice', { id: destination, amount_msat: 1000 });
    const { bolt11: paid } = await daemon.result('simulatedinvoice', { id: destination, amount_msat: 1000 });
    await daemon.result('xpay', { invstring: paid });
    await daemon.result('invoice', { amount_msat: 1000, label: 'kept', description: 'x' });
    await daemon.result('simulatepayer', { invoice: 'kept', id: destination });
    const route = { source, destination, amount_msat: 1000, maxfee_msat: 1_000_000, final_cltv: 18 };
    const params: Readonly<Record<string, object>> = {
      'askrene-difflayers': { ...route, layers: [layer] },
      'askrene-score': { path: [someChannel], amount_msat: 1000, layers: [layer] },
      check: { command_to_check: 'keysend', destination, amount_msat: 1000 },
      checkproof: [paid],
      createproof: [paid],
      decode: [bolt12],
      decodepay: [bolt11],
      createonion: { hops: [{ pubkey: source, payload: '020400' }], assocdata: payment_hash },
      getpayment: { payment_hash },
      getroute: { id: destination, amount_msat: 1000, riskfactor: 1 },
      getroutes: { ...route, layers: [], pareto: true },
      'getroutes-batch': {
        ...{ source, requests: [{ destination, amount_msat: 1000 }] },
        ...{ layers: [], maxfee_msat: 1_000_000 },
      },
      plankeysend: { destination, amount_msat: 1000 },
      planxpay: { invstring: bolt11 },
      planrebalance: { maxfee: 100_000 },
      waitinvoice: { label: 'kept' },
      waitsendpay: { payment_hash, partid: (await daemon.result('listsendpays')).payments[0].partid ?? 0 },
    };
    await comeToRest();
    for (const method of readOnly) {
      const before = await state();
      // Without a resolver, nothing is looked up here.
      if (method === 'fetchbip353') await daemon.error(method, { address: 'tea@shop.example' });
      else await daemon.result(method, params[method] ?? {});
      expect(await state(), method).toEqual(before);
    }
  });

  test('a command that changes something changes the compared state', async () => {
    const before = await state();
    await daemon.result('offer', { amount: '2sat', description: 'coffee' });
    expect(await state()).not.toEqual(before);
  });
});
