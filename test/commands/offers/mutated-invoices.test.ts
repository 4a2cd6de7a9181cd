/**
 * Mutated invoices and offers: each must be refused with a typed error, or be payable. The mutation affects
 * the text, the encoded bytes, or a record of an invoice that its issuer then signs again, so that every
 * check after the signature is reached. There are 1,000 mutations; `MUTATIONS` sets a larger number, and
 * every failure shows its seed. With `MUTATION_VERBOSE`, the distribution of processor time per text is
 * shown, without the first tenth, during which code is still being compiled.
 */
import { bech32 } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signStream } from '../../../src/bolt/invoice/bolt12-merkle.ts';
import { formatOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { decodeBolt12String, encodeBolt12String } from '../../../src/bolt/invoice/bolt12-string.ts';
import { decodeTlvStream, encodeTlvStream } from '../../../src/bolt/tlv.ts';
import { xpay } from '../../../src/commands/payments/xpay.ts';
import { snapshotNodePrivateKey } from '../../../src/gossip/node-keys.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { parseJson } from '../../../src/rpc/json-token.ts';
import { parseParams } from '../../../src/rpc/params.ts';
import { L4 } from '../../payments/line-graph.ts';
import { countWithin, likeDrawn } from '../../statistics.ts';
import { PaymentNode } from '../payment-node.ts';

const MUTATIONS = Number(process.env.MUTATIONS ?? 1_000);
const SEED = Number(process.env.MUTATION_SEED ?? 20_261_122);
const random = seededRandom(SEED, 1);
const below = (most: number): number => Math.floor(random() * most);

let node: PaymentNode;
let bolt11: string;
let bolt12: string;
let offers: string[];
let issuerKey: Uint8Array;
beforeAll(async () => {
  node = new PaymentNode();
  await node.start();
  bolt11 = (await node.result('simulatedinvoice', { id: L4, amount_msat: 1_000_000, hints: 2 })).bolt11;
  offers = node.issuers.offers.map(({ offer }) => formatOffer(offer));
  const { nodeId, offer } = node.issuers.offers.find(({ kind }) => kind === 'fixed')!;
  bolt12 = (await node.result('fetchinvoice', { offer: formatOffer(offer) })).invoice;
  issuerKey = snapshotNodePrivateKey(node.node.graph.nodeIndex(nodeId));
});
afterAll(() => node.stop());

/** Replaces, inserts or removes one to four bytes, or cuts off the end. */
function changed(bytes: Uint8Array): Uint8Array {
  let list = [...bytes];
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(list.length + 1);
    const draw = below(4);
    if (draw === 0) list[at] = below(256);
    else if (draw === 1) list.splice(at, 1);
    else if (draw === 2) list.splice(at, 0, below(256));
    else if (below(8) === 0) list = list.slice(0, at);
    else list[at] = [0, 1, 127, 128, 255][below(5)]!;
  }
  return Uint8Array.from(list.map((byte) => (byte ?? 0) & 255));
}

const KINDS: readonly (() => string)[] = [
  // Mutates the text.
  () => {
    const text = [bolt11, bolt12, ...offers][below(2 + offers.length)]!;
    return Buffer.from(changed(Buffer.from(text, 'latin1'))).toString('latin1');
  },
  // Mutates a BOLT 11 invoice and recomputes its checksum. A changed signature yields a different payee.
  () => {
    const { prefix, words } = bech32.decode(bolt11 as `${string}1${string}`, false);
    const other = [...changed(Uint8Array.from(words))].map((word) => word & 31);
    return bech32.encode(
      below(4) === 0 ? `lnbc${below(10_000)}${['', 'm', 'u', 'n', 'p'][below(5)]}` : prefix,
      other,
      false,
    );
  },
  // Mutates the bytes that a BOLT 12 text encodes.
  () => {
    const text = [bolt12, ...offers][below(1 + offers.length)]!;
    const { prefix, data } = decodeBolt12String(text);
    return encodeBolt12String(prefix as 'lno', changed(data));
  },
  // Mutates a record of a BOLT 12 invoice, which is then signed again.
  () => {
    const { data } = decodeBolt12String(bolt12);
    const records = decodeTlvStream(data);
    const at = below(records.length);
    const draw = below(5);
    const others =
      draw === 0
        ? records.toSpliced(at, 1)
        : records.map((one, i) => (i === at ? { ...one, value: changed(one.value) } : one));
    try {
      return encodeBolt12String('lni', signStream('invoice', encodeTlvStream(others), issuerKey));
    } catch {
      // Nothing is left to sign.
      return 'lni1';
    }
  },
];

test(`${MUTATIONS} changed invoices and offers: no untyped error`, { timeout: 600_000 }, async () => {
  const codes = new Map<number | 'fine', number>();
  const tookMs: number[] = [];
  for (let count = 0; count < MUTATIONS; count++) {
    const invstring = KINDS[count % KINDS.length]!();
    const started = process.cpuUsage();
    let code: number | 'fine' = 'fine';
    try {
      const params = parseParams(xpay, parseJson(JSON.stringify({ invstring })), node.context);
      await xpay.check?.(params as Parameters<NonNullable<typeof xpay.check>>[0], node.context);
    } catch (error) {
      if (!(error instanceof FulguriteError) || error.name === 'internal') {
        throw new Error(`MUTATION_SEED=${SEED}, number ${count}: ${invstring}: ${error}`, { cause: error });
      }
      code = error.code;
    }
    const { user, system } = process.cpuUsage(started);
    if (count >= MUTATIONS / 10) tookMs.push((user + system) / 1000);
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  if (process.env.MUTATION_VERBOSE) {
    tookMs.sort((a, b) => a - b);
    const shares = [0.5, 0.9, 0.99, 0.999, 1].map((share) => {
      const at = Math.min(tookMs.length - 1, Math.floor(share * tookMs.length));
      return `p${share * 100} ${tookMs[at]!.toFixed(2)}`;
    });
    process.stderr.write(`${JSON.stringify([...codes])}, processor ms: ${shares.join(', ')}\n`);
  }
  // Some mutated texts are refused as invalid, some because of their paths, and some are still payable.
  for (const [code, count] of [
    [-32602, 823],
    ['fine', 169],
  ] as const) {
    const met = codes.get(code) ?? 0;
    // The key with which the mutated BOLT 12 invoice was requested differs in every run.
    const usual = likeDrawn({ trials: 1_000, count }, SEED, MUTATIONS);
    expect(met, `${code}, MUTATION_SEED=${SEED}`).toBe(countWithin(met, usual));
  }
  expect(codes.size).toBeGreaterThan(2);
});
