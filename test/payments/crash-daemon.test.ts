/**
 * The daemon, as a process with the simulated network's own durability, is killed while it pays. The kill
 * comes at steps of its database writes, or of the network's journal writes (crash/kill-at-step.mjs). Several
 * payments and parts are in progress. The daemon restarts on the remaining files, and its clients repeat
 * their requests.
 *
 * CRASH_ALL=1 tests every step instead of a few.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type Answer, DaemonProcess, UNBUNDLED_MAIN } from '../commands/daemon-process.ts';
import { RawClient, temporaryDirectory } from '../rpc/support.ts';

const OPTIONS = ['--graph', 'synthetic:300'];
const PRELOAD = fileURLToPath(new URL('./crash/kill-at-step.mjs', import.meta.url));
/** Milliseconds that a recipient waits for the other parts of a payment: enough for all parts that arrive. */
const PART_PATIENCE_MS = 5_000;
const directory = temporaryDirectory();
const daemons: DaemonProcess[] = [];

afterAll(async () => {
  await Promise.all(daemons.splice(0).map((daemon) => daemon.stop('SIGKILL')));
  directory.remove();
});

interface Request {
  readonly method: 'keysend' | 'xkeysend';
  readonly params: {
    readonly destination: string;
    /** An amount, such as `1000sat`. */
    readonly amount_msat: string;
    readonly idempotency_key: string;
  };
}

/** Starts the daemon with these variables. */
async function start(home: string, kill: Readonly<Record<string, string>> = {}): Promise<DaemonProcess> {
  const patience = { PART_PATIENCE_MS: `${PART_PATIENCE_MS}`, NODE_OPTIONS: `--import=${PRELOAD}` };
  const daemon = await DaemonProcess.start(home, OPTIONS, UNBUNDLED_MAIN, { ...kill, ...patience });
  daemons.push(daemon);
  return daemon;
}

/** The sum of our balances in all channels, in msat. */
async function ownMsat(daemon: DaemonProcess): Promise<number> {
  const { channels } = await daemon.result('listfunds');
  return channels.reduce(
    (sum: number, { our_amount_msat }: { our_amount_msat: number }) => sum + our_amount_msat,
    0,
  );
}

/** Small payments to far nodes, and one that needs both of our channels to a peer. */
async function requests(daemon: DaemonProcess): Promise<Request[]> {
  const { nodes } = await daemon.result('listnodes');
  const { channels } = await daemon.result('listpeerchannels');
  const far = [3, 50, 100, 150].map((index) => nodes[index].nodeid as string);
  const peer = channels[1].peer_id as string;
  const params = (destination: string, amountSat: number, key: string) => ({
    destination,
    amount_msat: `${amountSat}sat`,
    idempotency_key: key,
    label: key,
    retry_for: 20,
  });
  return [
    ...far.map((id, index) => ({
      method: 'keysend' as const,
      params: params(id, 10 ** (3 + (index % 3)), `k${index}`),
    })),
    { method: 'xkeysend', params: { ...params(peer, 17_000_000, 'parts'), maxfee: '500000sat' } as never },
  ];
}

/**
 * Sends each request over a separate connection. An answer is undefined if the daemon died before it
 * answered.
 */
async function askAll(home: string, asked: readonly Request[]): Promise<(Answer | undefined)[]> {
  return Promise.all(
    asked.map(async (request, id) => {
      const client = new RawClient(join(home, 'fulgurite-rpc'));
      const text = await client.ask(JSON.stringify({ jsonrpc: '2.0', id, ...request }));
      client.close();
      return text === undefined ? undefined : (JSON.parse(text) as Answer);
    }),
  );
}

const POLL_MS = 50;
/** Number of polls: two minutes in total, far longer than recipients wait. */
const POLLS = 2_400;

/** Whether any payment, or any part of a complete payment, has no outcome yet. */
async function isUnderWay(daemon: DaemonProcess): Promise<boolean> {
  const { pays } = await daemon.result('listpays', { status: 'pending' });
  const { payments } = await daemon.result('listsendpays', { status: 'pending' });
  return pays.length + payments.length > 0;
}

/** Checks the answers against the balances, every attempt, and the answers that clients received earlier. */
async function judge(
  daemon: DaemonProcess,
  hadMsat: number,
  asked: readonly Request[],
  answers: readonly (Answer | undefined)[],
): Promise<void> {
  // Parts that are sent again may wait in vain for a part that failed earlier, and then fail too.
  for (let polls = 0; await isUnderWay(daemon); polls++) {
    expect(polls, 'a payment stays pending').toBeLessThan(POLLS);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const { pays } = await daemon.result('listpays');
  const sent = pays.reduce(
    (sum: number, { amount_sent_msat }: { amount_sent_msat: number }) => sum + amount_sent_msat,
    0,
  );
  const leftMsat = hadMsat - (await ownMsat(daemon));
  expect(leftMsat).toBe(sent);
  expect(0 - (await daemon.result('ledger')).balance_change_msat, 'the ledger').toBe(leftMsat);
  const { unexplained_msat, differences } = await daemon.result('reconcile');
  expect([unexplained_msat, differences], 'reconciliation').toEqual([0, []]);
  await judgeDelivered(daemon, pays, asked);
  const labels = pays.map(({ label }: { label: string }) => label);
  expect(new Set(labels).size, 'two payments with one key').toBe(labels.length);
  for (const [index, answer] of answers.entries()) {
    if (answer === undefined) continue;
    const pay = pays.find(({ label }: { label: string }) => label === asked[index]!.params.idempotency_key);
    expect(pay?.status ?? 'failed', 'an answer was lost').toBe(
      answer.error === undefined ? 'complete' : 'failed',
    );
    if (answer.result !== undefined) expect(pay.preimage).toBe(answer.result.payment_preimage);
  }
}

/** Checks that every complete payment has arrived in full: its parts settle together, even across a crash. */
async function judgeDelivered(
  daemon: DaemonProcess,
  pays: readonly { label: string; status: string; payment_hash: string }[],
  asked: readonly Request[],
): Promise<void> {
  const { payments } = await daemon.result('listsendpays', { status: 'complete' });
  for (const { label, payment_hash } of pays.filter(({ status }) => status === 'complete')) {
    const parts = payments.filter((part: { payment_hash: string }) => part.payment_hash === payment_hash);
    const arrived = parts.reduce((sum: number, part: { amount_msat: number }) => sum + part.amount_msat, 0);
    const { amount_msat } = asked.find(({ params }) => params.idempotency_key === label)!.params;
    expect(arrived, `${label} has arrived`).toBeGreaterThanOrEqual(1000 * Number.parseInt(amount_msat, 10));
  }
}

/** Runs one life, which is killed, and then the next. Returns whether the first life answered all requests. */
async function livesWith(name: string, kill: Readonly<Record<string, string>>): Promise<boolean> {
  const home = join(directory.path, name);
  mkdirSync(home);
  const first = await start(home, kill);
  const [hadMsat, asked] = [await ownMsat(first), await requests(first)];
  const answers = await askAll(home, asked);
  const isUnharmed = answers.every((answer) => answer !== undefined);
  await first.stop('SIGKILL');
  const second = await start(home);
  await judge(second, hadMsat, asked, answers);
  const { pays: known } = await second.result('listpays');
  const repeated = await askAll(home, asked);
  await judge(second, hadMsat, asked, repeated);
  for (const pay of known)
    await judgeRepeated(
      second,
      pay,
      repeated[asked.findIndex(({ params }) => params.idempotency_key === pay.label)]!,
    );
  await second.stop('SIGKILL');
  return isUnharmed;
}

/** Checks that a request repeated with its key gets the listed outcome and makes no further attempt. */
async function judgeRepeated(
  daemon: DaemonProcess,
  pay: { payment_hash: string; status: string; created_index: number },
  { result, error }: Answer,
): Promise<void> {
  const { payment_hash } = pay;
  const [listed] = (await daemon.result('listpays', { payment_hash })).pays;
  expect(listed).toEqual(pay);
  if (pay.status === 'complete') {
    expect(result).toMatchObject({ payment_preimage: listed.preimage });
    return;
  }
  const status = (await daemon.result('paystatus')).pay.find(
    (one: typeof pay) => one.payment_hash === payment_hash,
  );
  expect({ code: status.failure.code, message: status.failure.message }).toEqual({
    code: error!.code,
    message: error!.message,
  });
  if (error!.message.startsWith('The service was stopped')) expect(error!.code).toBe(-1);
  // A payment that never sent an HTLC has no attempt to wait for.
  if (status.attempts.length > 0) {
    const waited = await daemon.error('waitsendpay', { payment_hash, timeout: 5 });
    expect(waited.code).not.toBe(200);
  }
}

const LONG = { timeout: 300_000 };

describe('a daemon killed while it pays neither pays twice nor loses a payment', () => {
  if (process.env.CRASH_ALL) {
    test.each(['KILL_STORE', 'KILL_NETWORK'])(
      '%s: at every step',
      { timeout: 3_600_000 },
      async (variable) => {
        let step = 1;
        while (!(await livesWith(`${variable}-${step}`, { [variable]: `${step}` }))) step++;
        process.stderr.write(`${variable}: ${step - 1} steps\n`);
        expect(step).toBeGreaterThan(3);
      },
    );
  } else {
    test.concurrent.each([1, 4, 12, 25])('at step %s of its database', LONG, async (step) => {
      expect(await livesWith(`store-${step}`, { KILL_STORE: `${step}` }), 'was not killed').toBe(false);
    });

    // The frames of simultaneous payments may share one write, so only the three steps of one write are certain.
    test.concurrent.each([1, 3])('at step %s of the network’s writes', LONG, async (step) => {
      expect(await livesWith(`network-${step}`, { KILL_NETWORK: `${step}` }), 'was not killed').toBe(false);
    });
  }
});
