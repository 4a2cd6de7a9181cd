/**
 * A hundred destinations of the real graph, with one payment to each. The sum of our fees is compared with two sums of
 * another solver: one when it stops at the first answer within the limit, and one when it is asked again, each time
 * with a fee limit 1 msat below its last fee, until it finds nothing.
 *
 * The case is Core Lightning's slow test with real data (tests/test_askrene.py). The figures of that test are for a
 * graph in which htlc_maximum has the unit that Core Lightning's tools write, and each of its payments starts one free
 * hop before our source.
 */

import type { RouteQuery } from '../src/engine/question/route.ts';
import { Kernel } from '../src/engine/solver/kernel.ts';
import { solveRoute } from '../src/engine/solver/solve-route.ts';
import { readCompressedSnapshot, snapshotToGraph } from '../src/gossip/compressed-snapshot.ts';
import { msat, msatFromSat } from '../src/model/msat.ts';
import type { BenchContext } from './context.ts';
import { type Figures, figuresOf, partsOf } from './figures.ts';
import { SNAPSHOT_FILE } from './graphs.ts';
import { milliseconds } from './kernel.ts';
import { meanOf, spreadOf, timed } from './measure.ts';

const SOURCE = 2134;
const DESTINATIONS = 100;
const AMOUNT_SAT = 100_000;
const MAXFEE_MSAT = 500_000;
/** The 20 hops that fit in an onion, minus the free hop. */
const MAXHOPS = 19;
const FIRST_ANSWERS_MSAT = 8_026_484;
const SQUEEZED_MSAT = 925_406;
const FEASIBLE = 95;

/** Runs the benchmark area `targets`. */
export function targetsBench({ report }: BenchContext): void {
  if (SNAPSHOT_FILE === undefined) {
    report.note('targets', 'skipped: no snapshot beside the repository');
    return;
  }
  const graph = snapshotToGraph(readCompressedSnapshot(SNAPSHOT_FILE), { exactUnits: true });
  const kernel = Kernel.inProcess(graph);
  const latenciesMs: number[] = [];
  const found: Figures[] = [];
  for (let destination = 0; destination < DESTINATIONS; destination++) {
    const query: RouteQuery = {
      source: graph.nodeId(SOURCE),
      destination: graph.nodeId(destination),
      amountMsat: msatFromSat(AMOUNT_SAT),
      layers: [],
      maxfeeMsat: msat(MAXFEE_MSAT),
      finalCltv: 18,
      maxdelay: 2016,
      maxparts: 100,
    };
    const { result, ms } = timed(() =>
      solveRoute(kernel, { ...query, maxhops: MAXHOPS, layerIds: [], layerNames: [], includeFees: false }),
    );
    latenciesMs.push(ms);
    if ('answer' in result) found.push(figuresOf(graph, partsOf(result.answer)));
  }
  const feeMsat = found.reduce((sum, figures) => sum + figures.feeMsat, 0);
  report.table('targets', `${DESTINATIONS} destinations, ${AMOUNT_SAT} sat, cap ${MAXFEE_MSAT} msat`, [
    {
      answered: found.length,
      'fees msat': feeMsat,
      'their first answers': FIRST_ANSWERS_MSAT,
      'theirs squeezed': SQUEEZED_MSAT,
      'mean -ln P': meanOf(found.map((figures) => figures.riskNats)),
      'mean parts': meanOf(found.map((figures) => figures.parts)),
      ...milliseconds(spreadOf(latenciesMs)),
    },
  ]);
  report.figure('targets', {
    name: 'destinations reached',
    value: found.length,
    unit: '',
    target: `>= ${FEASIBLE}`,
  });
  report.figure('targets', {
    name: 'sum of fees over them',
    value: feeMsat,
    unit: 'msat',
    target: `<= ${SQUEEZED_MSAT}`,
  });
}
