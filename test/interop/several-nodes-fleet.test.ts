/**
 * Two whole daemons with one database and the same three real nodes: two LNDs (a and b) and a Core Lightning node (d).
 * The first daemon is killed during a payment, and the second one takes the payment over. The recipient is paid once.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { retireLost } from '../../src/fleet/retire.ts';
import { type DaemonStatus, databaseStatus } from '../../src/fleet/status.ts';
import { macaroonPermissions } from '../../src/network/lnd/index.ts';
import { DaemonProcess } from '../commands/daemon-process.ts';
import { describeNeeding } from '../needs.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, sharedPostgres } from '../store/postgres-server.ts';
import { haveBoth, type LndNodeName, LndNodes, until } from './lnd/lnd-nodes.ts';

const TIME = 1_200_000;
const OURS: readonly LndNodeName[] = ['a', 'b', 'd'];
/** More than any two nodes together have in their channels to c. */
const AMOUNT_MSAT = 3_800_000_000;
const SMALL_MSAT = 200_000_000;

describeNeeding('lnd', haveBoth && POSTGRES_PROGRAMS !== undefined, 'a fleet over several real nodes', () => {
  let nodes: LndNodes;
  let server: PostgresServer;
  let database: PreparedDatabase;
  let options: string[];
  const daemons: DaemonProcess[] = [];

  async function start(name: string): Promise<DaemonProcess> {
    const daemon = await DaemonProcess.start(`${nodes.directory}/${name}`, options);
    daemons.push(daemon);
    return daemon;
  }
  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async function ask(daemon: DaemonProcess, method: string, params: object = {}): Promise<any> {
    const { error, result } = await daemon.call(method, params);
    return error ?? result;
  }

  /**
   * The outcome of a payment. On a busy machine the database may be silent for longer than half a lease. The request
   * then fails, and is repeated.
   */
  async function outcomeOf(daemon: DaemonProcess, request: object): Promise<unknown> {
    for (;;) {
      const answer = await ask(daemon, 'xpay', request);
      if (answer.data?.reason !== 'outcomeAway') return answer;
    }
  }

  beforeAll(async () => {
    server = await sharedPostgres();
    database = await newPreparedDatabase(server);
    nodes = await LndNodes.start();
    await nodes.openChannel('a', 'c');
    for (const name of ['a', 'b'] as const) await nodes.bake(macaroonPermissions(['invoices']), name);
    options = [
      ...OURS.flatMap((name) => ['--node', nodes.asOurs(name)]),
      ...['--chain', 'regtest', '--workers', '1', '--store', database.daemon],
    ];
  }, 600_000);
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.stop('SIGTERM');
  }, 120_000);
  afterAll(async () => {
    await nodes?.stop();
  }, 120_000);

  /** Whether a node of ours has accepted the HTLC of a part of the payment. */
  async function hasSent(name: LndNodeName, paymentHash: string): Promise<boolean> {
    if (nodes.kind(name) === 'cln') {
      return (
        (await nodes.call(name, 'listsendpays', '-k', `payment_hash=${paymentHash}`)).payments.length > 0
      );
    }
    const { payments } = await nodes.call(name, 'listpayments', '--include_incomplete');
    return payments.some(
      ({ payment_hash, htlcs }: { payment_hash: string; htlcs: unknown[] }) =>
        payment_hash === paymentHash && htlcs.length > 0,
    );
  }

  /** Two daemons that know all channels, and a request to pay an invoice of c under an idempotency key. */
  async function daemonsAndInvoice(amountMsat: number, key: string) {
    const [first, second] = [await start('first'), await start('second')];
    for (const daemon of [first, second])
      await until(async () => (await ask(daemon, 'listchannels')).channels.length === 10);
    const { bolt11, payment_hash } = await nodes.call('c', 'invoice', amountMsat, key, key);
    return {
      ...{ first, second, payment_hash },
      request: { invstring: bolt11, retry_for: 600, idempotency_key: key },
    };
  }

  /** Retires the first daemon as soon as this is allowed. Instead of waiting for two minutes, makes it look older. */
  async function retireFirst(): Promise<void> {
    const store = database.daemon;
    const { daemons } = await databaseStatus(store);
    const [{ daemon }] = [...daemons].sort((a, b) => b.seenMsAgo! - a.seenMsAgo!) as [DaemonStatus];
    const owner = server.connect(database.owner);
    await owner`UPDATE fulgurite.daemon SET seen_at = seen_at - interval '2 minutes' WHERE daemon = ${daemon}`;
    await owner.end();
    await until(() => retireLost(store, daemon).then(() => true));
  }

  test.each([
    ['starts again', async () => void (await start('first'))],
    ['is retired', retireFirst],
  ])(
    'a daemon that is killed before its HTLCs leave: the payment goes on once that daemon %s',
    {
      timeout: TIME,
    },
    async (key, goOn) => {
      const { first, second, request, payment_hash } = await daemonsAndInvoice(SMALL_MSAT, key);
      const asked = ask(first, 'xpay', request).catch(() => undefined);
      // The row of an attempt is written before its HTLC leaves, so the daemon usually dies in between.
      await until(async () => (await ask(second, 'listsendpays', { payment_hash })).payments.length > 0);
      await first.stop('SIGKILL');
      await asked;
      await goOn();
      expect(await outcomeOf(second, request)).toMatchObject({ amount_msat: SMALL_MSAT });
      const { invoices } = await nodes.call('c', 'listinvoices', key);
      expect(invoices[0]).toMatchObject({ status: 'paid', amount_received_msat: SMALL_MSAT });
    },
  );

  test('a payment over three nodes is taken over while in progress, and paid once', {
    timeout: TIME,
  }, async () => {
    const { first, second, request, payment_hash } = await daemonsAndInvoice(AMOUNT_MSAT, 'once');
    // The recipient is suspended, so the parts stay in flight.
    nodes.signal('c', 'SIGSTOP');
    const asked = ask(first, 'xpay', request).catch(() => undefined);
    await until(async () =>
      (await Promise.all(OURS.map((name) => hasSent(name, payment_hash)))).every(Boolean),
    );
    await first.stop('SIGKILL');
    await asked;
    nodes.signal('c', 'SIGCONT');
    const paid = await outcomeOf(second, request);
    expect(paid).toMatchObject({ amount_msat: AMOUNT_MSAT });
    const [pay] = (await ask(second, 'listpays', { payment_hash })).pays;
    expect(pay).toMatchObject({ status: 'complete', amount_msat: AMOUNT_MSAT });
    expect(new Set(pay.nodes.map(({ node }: { node: string }) => node))).toEqual(new Set(OURS));
    const { payments } = await ask(second, 'listsendpays', { payment_hash });
    const settled = payments.filter(({ status }: { status: string }) => status === 'complete');
    const sum = settled.reduce((sum: number, one: { amount_msat: number }) => sum + one.amount_msat, 0);
    expect(sum).toBe(AMOUNT_MSAT);
    const { invoices } = await nodes.call('c', 'listinvoices', 'once');
    expect(invoices[0]).toMatchObject({ status: 'paid', amount_received_msat: AMOUNT_MSAT });
  });
});
