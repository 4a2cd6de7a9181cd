/**
 * Payments of BOLT 12 invoices a second that a node sustains over the main network's graph. The invoices have real
 * blinded paths of three hops, and are paid in one to eight parts. Every attempt is journaled, and every hop peels its
 * onion. For comparison, keysends run on the same machine in the same minute.
 *
 * An invoice has two paths, each over three channels into the recipient. To split a payment into n parts, its paths
 * accept no HTLC above 1/n of the amount. Paths are shorter where a node has no such channels. The table shows their
 * mean length.
 *
 * A payment in n parts is n HTLCs: n rows, n onions, and n times the hops that peel them. So the rate is compared with
 * that of keysends both by payment and by HTLC. Luck should not affect the result. A part without a route would make
 * the others wait for the recipient's timeout. So each recipient has a channel of at least 500 times the amount, and
 * the fee limit fits eight parts. When other work disturbs the rates, compare the processor time.
 */

import { sha256 } from '../src/bolt/crypto/hashes.ts';
import type { PaymentPath } from '../src/bolt/invoice/bolt12-invoice.ts';
import { snapshotNodePrivateKey } from '../src/gossip/node-keys.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { msat, msatFromSat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';
import { OnionPool } from '../src/network/onions/onion-pool.ts';
import type { NetworkPort } from '../src/network/port.ts';
import { makeTicket, networkMapOf, ticketPreimage } from '../src/network/simulated/index.ts';
import type { PaymentRequest } from '../src/payments/payment.ts';
import { findTails } from '../src/payments/plan/payable-invoice.ts';
import { PaymentPaths } from '../src/simulated-issuers/payment-paths.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { CONCURRENCY, recipients, sustained } from './keysend.ts';
import { meanOf } from './measure.ts';
import { OWN_ID, requestTo } from './paying-node.ts';

const AMOUNT_SAT = 1_000;
const AMOUNT_MSAT = msatFromSat(AMOUNT_SAT);
const RECIPIENT_CHANNEL_SAT = 500 * AMOUNT_SAT;
const MAXFEE_MSAT = msatFromSat(AMOUNT_SAT / 4);
const PARTS = [1, 2, 4, 8];
const BLINDED_HOPS = 3;
const PLANS = [
  { hops: BLINDED_HOPS, dummies: 0 },
  { hops: BLINDED_HOPS, dummies: 0 },
];
/** A UNIX time that no run reaches. */
const NEVER = 4_000_000_000n;

export async function xpayBench(context: BenchContext): Promise<void> {
  const { graph, name } = mainGraph();
  const map = networkMapOf(graph);
  const paths = new PaymentPaths(map);
  const count = context.quick ? 500 : 2_000;
  // `recipients` requires a channel of at least twice the amount that it gets, here RECIPIENT_CHANNEL_SAT.
  const destinations = recipients(graph, RECIPIENT_CHANNEL_SAT / 2, count);
  const keysends = () => destinations.map((id, index) => keysendTo(id, index));
  const rows = [];
  const plain = await sustained(graph, map, new OnionPool(), keysends);
  rows.push({ what: 'keysend', parts: 1, ...plain, ...sharesOf(plain, plain) });
  for (const parts of PARTS) {
    const hops: number[] = [];
    const requests = (network: NetworkPort) =>
      destinations.map((id, index) => invoiceOf(graph, paths, network, { id, index, parts, hops }));
    // The number of concurrent HTLCs is the same for every number of parts.
    const callers = Math.ceil(CONCURRENCY / parts);
    const figures = await sustained(graph, map, new OnionPool(), requests, callers);
    const shares = sharesOf(figures, plain);
    rows.push({ what: 'xpay', parts, ...figures, ...shares, 'blinded hops': meanOf(hops) });
  }
  const title = `${count} payments of ${AMOUNT_SAT} sat over blinded paths, ${name}, real time`;
  context.report.table('xpay', title, rows);
  const [, single] = rows;
  const least = Math.min(...rows.slice(1).map((row) => row['HTLCs, % of keysend']));
  const target = '>= 70';
  const figure = (name: string, value: number): void =>
    context.report.figure('xpay', { name, value, unit: '%', target });
  figure('payments sustained, % of keysend, one part', single!['payments, % of keysend']);
  figure('HTLCs sustained, % of keysend, minimum of 1 to 8 parts', least);
}

type Figures = Awaited<ReturnType<typeof sustained>>;

const sharesOf = (figures: Figures, plain: Figures) => ({
  'payments, % of keysend': (100 * figures['payments/s']) / plain['payments/s'],
  'HTLCs, % of keysend': (100 * figures['attempts/s']) / plain['attempts/s'],
  'HTLCs, % of keysend, by processor time':
    (100 * plain['processor ms/attempt']) / figures['processor ms/attempt'],
});

const keysendTo = (id: NodeId, index: number): PaymentRequest => ({
  ...requestTo(id, AMOUNT_SAT, BigInt(index)),
  maxfeeMsat: MAXFEE_MSAT,
});

interface Wanted {
  readonly id: NodeId;
  readonly index: number;
  readonly parts: number;
  /** Collects the number of hops of each path. */
  readonly hops: number[];
}

/** The request to pay an invoice of this node, as if it had been fetched. */
function invoiceOf(
  graph: ChannelGraph,
  paths: PaymentPaths,
  network: NetworkPort,
  { id, index, parts, hops }: Wanted,
): PaymentRequest {
  const node = graph.nodeIndex(id);
  const secretKey = snapshotNodePrivateKey(node);
  const nonce = sha256(Buffer.from(`invoice ${parts} ${index}`, 'ascii'));
  const terms = { amountMsat: AMOUNT_MSAT, expiresAt: NEVER, minFinalCltvExpiryDelta: 18 };
  const pathId = makeTicket(secretKey, { form: 'bolt12', ...terms }, nonce);
  const target = { node, pathId, amountMsat: AMOUNT_MSAT, height: network.blockHeight() };
  const built: PaymentPath[] = paths.build(target, PLANS, (path) =>
    sha256(Buffer.from(`path ${parts} ${index} ${path}`, 'ascii')),
  );
  for (const { path } of built) hops.push(path.hops.length - 1);
  const { tails } = findTails(built, { ownId: OWN_ID, nodeOf: () => undefined, peerOf: () => undefined });
  const mostMsat = msat((AMOUNT_MSAT + BigInt(parts) - 1n) / BigInt(parts));
  const paymentHash = sha256(ticketPreimage(secretKey, pathId));
  return {
    ...keysendTo(id, index),
    kind: 'xpay',
    asked: { invstring: '', payerNote: undefined },
    invoice: {
      ...{ format: 'bolt12', text: '', paymentHash, totalMsat: AMOUNT_MSAT, expiresAt: NEVER },
      ...{
        minFinalCltvExpiryDelta: 0,
        takesParts: true,
        paymentSecret: undefined,
        paymentMetadata: undefined,
      },
      blindedTails: tails.map((tail) => ({ ...tail, htlcMaximumMsat: mostMsat, htlcMinimumMsat: msat(1n) })),
      ...{ description: undefined, payerNote: undefined, invoiceRequestId: undefined },
    },
  };
}
