/**
 * A payment to a recipient that accepts several parts, when our only channel refuses the amount. The channel
 * must also carry the fees, and each part pays base fees, so more parts cannot fit if one does not. The
 * answer must state this.
 *
 *     we ──5,000,000 sat── L2 ──1,000,000 sat── L3        L2 asks for 1,000 msat + 10 ppm
 */
import { afterEach, expect, test } from 'vitest';
import { FAILURES } from '../../../src/bolt/onion/failure.ts';
import { msat } from '../../../src/model/msat.ts';
import type { HtlcOutcome } from '../../../src/network/port.ts';
import { L2_L3, L3, lineGraph, lineNode, TERMS } from '../line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../simulation/simulated-node.ts';
import { PayingDouble } from './paying-double.ts';

/** A network whose channels refuse every HTLC without a reason. */
class RefusingPort extends PayingDouble {
  protected override outcomeOf(): HtlcOutcome {
    return { status: 'refused', failureCode: FAILURES.temporary_channel_failure.code, reason: 'no' };
  }
}

let node: SimulatedNode | undefined;
afterEach(() => node?.destroy());

test.each([1_000n, 5_000n, 100_000n, 5_000_000n])('%i msat', async (amount) => {
  const graph = lineGraph();
  for (const direction of [0, 1] as const)
    graph.setPolicy(graph.channelIndex(L2_L3), direction, { ...TERMS, feeBaseMsat: 1_000 } as never);
  const multiPart = { features: Uint8Array.of(2, 0x41, 0), addresses: new Uint8Array(0) };
  const described = { timestamp: 1, alias: new Uint8Array(32), color: new Uint8Array(3), ...multiPart };
  (graph.announcements as Map<number, typeof described>).set(graph.nodeIndex(L3), described);
  const network = new RefusingPort();
  node = lineNode({ graph, engine: { network } });
  network.setChannels(node.simulation.ownChannels().channels);

  const [amountMsat, maxfeeMsat] = [msat(amount), msat(100_000n)];
  const request = keysendRequest(L3, { kind: 'xkeysend', useShadow: false, amountMsat, maxfeeMsat });
  const { failure, attempts } = await node.until(node.payments.pay(request));
  expect(attempts).toHaveLength(1);
  const { amountSentMsat } = attempts[0]!;
  expect(failure).toMatchObject({
    obstacle: 'noRoute',
    noPlan: {
      noRoute: {
        binding: {
          kind: 'direction',
          amountMsat: amountSentMsat,
          fault: { kind: 'constraint', limitMsat: amountSentMsat - 1n },
        },
      },
    },
  });
});
