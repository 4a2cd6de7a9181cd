/**
 * Static invoices over the real wire: the Rust crate lightning (LDK 0.2 or later) plays a server that answers
 * invoice requests on behalf of offline recipients. (LDK on npm is too old.)
 *
 * The program listens on loopback and prints one line of JSON: `node_id`, `port`, and `invoices`, each with
 * `name`, `offer` and `static_invoice` (hex). It answers a request for the offer of
 *
 *     good, priced   with its static invoice         swapped   with the static invoice of "good"
 *     expired        with an expired static invoice
 *
 * and ends when its input is closed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import { CHAIN_HASHES, parseOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { inWords } from '../../../src/commands/in-words.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { realClock } from '../../../src/model/clock.ts';
import type { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { PeerNetwork } from '../../../src/network/peer/peer-network.ts';
import { InvoiceFetcher } from '../../../src/offers/fetch.ts';
import { MessageRoutes } from '../../../src/offers/message-routes.ts';
import { OnionMessenger } from '../../../src/offers/messenger.ts';
import { PayerKeys } from '../../../src/offers/payer-keys.ts';
import { SeriesInMemory } from '../../../src/offers/series.ts';
import { describeNeeding } from '../../needs.ts';

const PROGRAM = process.env.FULGURITE_LDK_STATIC;
const chainHash = CHAIN_HASHES.regtest;

interface Served {
  readonly node_id: NodeId;
  readonly port: number;
  readonly invoices: readonly {
    readonly name: string;
    readonly offer: string;
    readonly static_invoice: string;
  }[];
}

describeNeeding('ldkStatic', PROGRAM !== undefined, 'static invoices of LDK', () => {
  let server: ChildProcess;
  let served: Served;
  let network: PeerNetwork;
  let fetcher: InvoiceFetcher;

  beforeAll(async () => {
    server = spawn(PROGRAM!, [], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: server.stdout! }), 'line');
    served = JSON.parse(line);
    const secretKey = randomSecretKey();
    const graph = new ChannelGraph();
    network = new PeerNetwork({ secretKey, chainHash, graph });
    const messenger = new OnionMessenger({
      port: network,
      routes: new MessageRoutes(graph),
      takesMessages: () => true,
    });
    fetcher = new InvoiceFetcher({
      ...{ messenger, chainHash, clock: realClock, mayConnect: true },
      payerKeys: new PayerKeys(secretKey),
      series: new SeriesInMemory(),
    });
    await network.connect(served.node_id, [`127.0.0.1:${served.port}`]);
  }, 60_000);
  afterAll(async () => {
    await network?.close();
    server?.stdin?.end();
  });

  const vectorOf = (name: string) => served.invoices.find((one) => one.name === name)!;
  /** The error as a client receives it. */
  async function failure(name: string, amountMsat?: bigint): Promise<FulguriteError> {
    const offer = parseOffer(vectorOf(name).offer);
    const asked = { offer, amountMsat: amountMsat && msat(amountMsat), timeoutMs: 20_000 };
    return fetcher.fetch(asked as Parameters<InvoiceFetcher['fetch']>[0]).then(
      () => Promise.reject(new Error('an invoice came')),
      (error) => inWords(error) as FulguriteError,
    );
  }

  it.each([
    ['good', 70_000n, 2],
    ['priced', undefined, 1],
  ] as const)('%s is read with the content that LDK wrote, and refused', async (name, amountMsat, paths) => {
    const { name: error, data } = await failure(name, amountMsat);
    expect(error).toBe('staticInvoice');
    expect(data).toMatchObject({
      static_invoice_hex: vectorOf(name).static_invoice,
      static_invoice: { valid: true, invoice_message_paths: [{ first_node_id: served.node_id }] },
    });
    const { invoice_paths } = (data as { static_invoice: { invoice_paths: unknown[] } }).static_invoice;
    expect(invoice_paths).toHaveLength(paths);
  });

  it.each([
    ['expired', 'invoice_relative_expiry'],
    ['swapped', 'offer match'],
  ])('%s is refused, and the field is named', async (name, field) => {
    expect(await failure(name, 70_000n)).toMatchObject({ name: 'issuerError', data: { field } });
  });
});
