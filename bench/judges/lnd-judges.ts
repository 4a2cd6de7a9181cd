/**
 * LND's two estimators as judges: a-priori and bimodal. Both use one memory of pairs, which learns as LND's mission
 * control does (src/laboratory/routers/lnd.ts, lnd-memory.ts).
 */

import { LndRouter } from '../../src/laboratory/routers/lnd.ts';
import type { TrueChannels } from '../../src/laboratory/truth/true-channels.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import type { JudgedAttempt, OddsJudge } from './judge.ts';
import { bimodalChance } from './lnd-bimodal.ts';

/** The judges `LND a-priori` and `LND bimodal`. */
export function lndJudges(channels: TrueChannels): OddsJudge[] {
  const router = new LndRouter(channels, 'lnd');
  const { graph } = channels;
  const over = ({ sender, route }: JudgedAttempt, of: (hop: LndHop) => number): number =>
    route.directions.reduce((chance, direction, index) => {
      const [from, to] = endsOf(graph, direction);
      const amountMsat = Number(route.amountsMsat[index]!);
      const capacityMsat = Number(graph.capacityMsat[direction >>> 1]!);
      return chance * of({ isOwn: from === sender, from, to, amountMsat, capacityMsat });
    }, 1);
  return [
    {
      name: 'LND a-priori',
      chance: (attempt) => {
        const memory = router.memoryOf(attempt.sender);
        return over(attempt, ({ isOwn, from, to, amountMsat, capacityMsat }) =>
          isOwn
            ? memory.localProbability(from, to, attempt.nowUs)
            : memory.pairProbability(from, to, amountMsat, capacityMsat, attempt.nowUs),
        );
      },
      ended: (report) => void router.ended(report),
    },
    {
      name: 'LND bimodal',
      chance: (attempt) => {
        const memory = router.memoryOf(attempt.sender);
        return over(attempt, ({ from, ...hop }) =>
          bimodalChance(memory.pairsFrom(from), { ...hop, nowUs: attempt.nowUs }),
        );
      },
      ended: () => undefined,
    },
  ];
}

interface LndHop {
  /** Whether the hop is the sender's own. */
  readonly isOwn: boolean;
  readonly from: number;
  readonly to: number;
  readonly amountMsat: number;
  readonly capacityMsat: number;
}

function endsOf({ node1, node2 }: ChannelGraph, direction: number): readonly [from: number, to: number] {
  const channel = direction >>> 1;
  const ends = [node1[channel]!, node2[channel]!] as const;
  return (direction & 1) === 0 ? ends : [ends[1], ends[0]];
}
