/**
 * Invoices and offers of real Core Lightning nodes, paid in turns by Fulgurite beside node a and by the node's own
 * `xpay`. The report shows fee, parts and time for both. The network:
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c ──5,000,000 sat, not announced── d        (both pay from a)
 *
 * An offer is paid in one request, so its time includes the fetch of the invoice. It runs only where
 * FULGURITE_LIGHTNINGD names a lightningd.
 */
import { NodeSocket } from '../src/network/cln/node-socket.ts';
import { type ClnNodes, haveNodes, until } from '../test/interop/cln/cln-nodes.ts';
import { besideNode } from './beside-node.ts';
import type { BenchContext } from './context.ts';
import { meanOf, quantile } from './measure.ts';

const PAYEES = ['b', 'c', 'd'] as const;
const KINDS = ['BOLT 11', 'offer'] as const;
const AMOUNT_MSAT = 1_000_000;
const WAIT_MS = 120_000;

interface Paid {
  readonly feeMsat: number;
  readonly parts: number;
  readonly ms: number;
}

/** Runs the benchmark area `cln-xpay`. */
export async function clnXpayBench({ quick, report }: BenchContext): Promise<void> {
  if (!haveNodes) {
    report.note('cln-xpay', 'FULGURITE_LIGHTNINGD names no lightningd, or ../shared/cln is missing');
    return;
  }
  await besideNode(async ({ nodes, paths }) => {
    // The first payment shows that channels and graph are known, and is not counted.
    await until(async () => (await payOne(nodes, paths.Fulgurite, 'c', 'BOLT 11')).parts > 0);
    const rows = [];
    for (const kind of KINDS) {
      for (const payee of PAYEES) {
        const rounds = new Map<string, Paid[]>();
        for (let round = 0; round < (quick ? 3 : 20); round++) {
          // The two take turns going first.
          const order = round % 2 === 0 ? Object.entries(paths) : Object.entries(paths).reverse();
          for (const [who, path] of order) {
            const paid = await payOne(nodes, path, payee, kind);
            rounds.set(who, [...(rounds.get(who) ?? []), paid]);
          }
        }
        for (const who of Object.keys(paths))
          rows.push({ kind, to: payee, by: who, ...rowOf(rounds.get(who)!) });
      }
    }
    const { version } = await nodes.call('a', 'getinfo');
    report.table('cln-xpay', `xpay of ${AMOUNT_MSAT} msat, in turns, node ${version}`, rows);
  });
}

const rowOf = (all: readonly Paid[]) => ({
  payments: all.length,
  'fee msat': meanOf(all.map(({ feeMsat }) => feeMsat)),
  parts: meanOf(all.map(({ parts }) => parts)),
  'p50 ms': quantile(
    all.map(({ ms }) => ms),
    0.5,
  ),
  'worst ms': quantile(
    all.map(({ ms }) => ms),
    1,
  ),
});

let label = 0;

/** Pays an invoice or an offer that the recipient makes for this payment. */
async function payOne(
  nodes: ClnNodes,
  path: string,
  payee: (typeof PAYEES)[number],
  kind: (typeof KINDS)[number],
): Promise<Paid> {
  const amount_msat = AMOUNT_MSAT;
  const params =
    kind === 'offer'
      ? {
          invstring: (await nodes.call(payee, 'offer', { amount: 'any', description: `bench ${label++}` }))
            .bolt12,
          amount_msat,
        }
      : {
          invstring: (
            await nodes.call(payee, 'invoice', { amount_msat, label: `bench ${label++}`, description: '' })
          ).bolt11,
        };
  const socket = await NodeSocket.open(path, WAIT_MS);
  try {
    const startMs = performance.now();
    const paid = await socket.call('xpay', params);
    const ms = performance.now() - startMs;
    const feeMsat = paid.requireNumber('amount_sent_msat') - paid.requireNumber('amount_msat');
    return { feeMsat, parts: paid.requireNumber('successful_parts'), ms };
  } finally {
    socket.close();
  }
}
