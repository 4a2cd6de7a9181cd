/**
 * An attempt that was in flight when the process ended teaches the same odds as one that was not interrupted. Its own
 * reservation does not count as another payment's. On this line:
 *
 *     us --- L1 --- L2 --- L3
 */
import { expect, test } from 'vitest';
import { msatFromSat } from '../../../src/model/msat.ts';
import { OddsModel } from '../../../src/payments/learn/odds-model.ts';
import { until } from '../../until.ts';
import { L3, lineNode } from '../line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../simulation/simulated-node.ts';

const REQUEST = keysendRequest(L3, {
  amountMsat: msatFromSat(200_000),
  maxfeeMsat: msatFromSat(10_000),
  useShadow: false,
});

function subject(): { readonly node: SimulatedNode; readonly odds: OddsModel } {
  const node: SimulatedNode = lineNode({
    engine: { odds: new OddsModel(() => node?.nowMs() / 1000) },
  });
  return { node, odds: node.payments.learnedOdds! };
}

/** What one settled payment teaches about balances. */
async function lessonOf(isInterrupted: boolean): Promise<readonly (readonly number[])[]> {
  const { node, odds } = subject();
  if (isInterrupted) {
    node.payments.pay(REQUEST).catch(() => undefined);
    await until(() => node.simulation.stats().pendingAttempts > 0);
    await node.crash();
    await node.open();
    while ([...node.payments.live()].length > 0) await node.pass();
  } else {
    expect(await node.pay(REQUEST)).toMatchObject({ status: 'complete' });
  }
  const { observed, weights } = odds.state();
  expect(observed).toBe(1);
  await node.destroy();
  return weights;
}

test('an interrupted attempt teaches the same odds as others', async () => {
  expect(await lessonOf(true)).toEqual(await lessonOf(false));
});
