/**
 * The same payments by three real nodes used as one (LND a and b, Core Lightning d) and by each node alone,
 * each time on a fresh network. Together they complete more payments than any single node, with fees no
 * higher than those of the best node. All three have balances: c can receive 6.4 million sat over four
 * channels, of which a alone can send 4.8 million (two thirds of it through b and d, which charge fees), b
 * alone 3.6 million, d alone 2 million.
 *
 *     a ══ c      b ══ c (two channels)      d ══ c      a ══ b      a ══ d        1.6 million sat each, on the left
 *
 * `PURSE_FEES` in the environment sets the number of payments; their total amount does not change.
 */
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/gossip/random.ts';
import { macaroonPermissions } from '../../src/network/lnd/index.ts';
import { DaemonProcess } from '../commands/daemon-process.ts';
import { describeNeeding } from '../needs.ts';
import { haveBoth, type LndNodeName, LndNodes, until } from './lnd/lnd-nodes.ts';

const PAYMENTS = Number(process.env.PURSE_FEES ?? 40);
/** All channels to c together can carry about 6.3 million sat, without reserves. */
const TOTAL_SAT = 5_900_000;
const AT_ONCE = 4;
const OURS: readonly LndNodeName[] = ['a', 'b', 'd'];

interface Outcome {
  readonly paid: number;
  readonly feesMsat: number;
}

/** Random amounts from a seed, which add up to about the total. */
function amounts(): number[] {
  const random = seededRandom(30, 1);
  const weights = Array.from({ length: PAYMENTS }, () => 0.2 + 1.6 * random());
  const sum = weights.reduce((all, one) => all + one, 0);
  return weights.map((weight) => Math.max(1, Math.round((1000 * TOTAL_SAT * weight) / sum)));
}

async function payAllFrom(names: readonly LndNodeName[]): Promise<Outcome> {
  const nodes = await LndNodes.start();
  let daemon: DaemonProcess | undefined;
  try {
    await nodes.openChannel('a', 'c');
    await nodes.openChannel('b', 'c');
    await nodes.bake(macaroonPermissions(), 'a');
    await nodes.bake(macaroonPermissions(), 'b');
    daemon = await DaemonProcess.start(`${nodes.directory}/ours`, [
      ...names.flatMap((name) => ['--node', nodes.asOurs(name)]),
      ...['--chain', 'regtest', '--workers', '1'],
    ]);
    const running = daemon;
    await until(async () => (await running.call('listchannels', {})).result.channels.length === 12);
    const list = amounts();
    const fees: number[] = [];
    let next = 0;
    const payer = async (): Promise<void> => {
      for (let n = next++; n < list.length; n = next++) {
        const { bolt11 } = await nodes.call('c', 'invoice', list[n]!, `n${n}`, `n${n}`);
        const { result } = await running.call('xpay', { invstring: bolt11, retry_for: 30 });
        if (result !== undefined) fees.push(result.amount_sent_msat - result.amount_msat);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, payer));
    const feesMsat = fees.reduce((sum, fee) => sum + fee, 0);
    return { paid: fees.length, feesMsat };
  } finally {
    await daemon?.stop();
    await nodes.stop();
  }
}

describeNeeding('lnd', haveBoth, 'several nodes used as one, compared with each alone,', () => {
  test('pay more, and no more expensively than the best of them', { timeout: 3 * 3_600_000 }, async () => {
    const shown = async (name: string, names: readonly LndNodeName[]): Promise<Outcome> => {
      const outcome = await payAllFrom(names);
      process.stderr.write(`${name}: ${outcome.paid} of ${PAYMENTS} paid, ${outcome.feesMsat}msat of fees\n`);
      return outcome;
    };
    const purse = await shown('purse', OURS);
    const alone = new Map<LndNodeName, Outcome>();
    for (const name of OURS) alone.set(name, await shown(name, [name]));
    const [best] = [...alone.values()].sort((x, y) => y.paid - x.paid || x.feesMsat - y.feesMsat);
    for (const { paid } of alone.values()) expect(purse.paid).toBeGreaterThan(paid);
    expect(purse.feesMsat).toBeLessThanOrEqual(best!.feesMsat);
  });
});
