/**
 * A refusal that is proven, although the effort ends before the search finds out which limit is too low. It
 * must not be reported as undecided, and no limit may be blamed without proof.
 */
import { expect, it } from 'vitest';
import type { Question } from '../../../src/engine/question/question.ts';
import { ask } from '../../../src/engine/solver/ask.ts';
import { diagnose } from '../../../src/engine/solver/diagnosis.ts';
import { explainFailure } from '../../../src/engine/solver/explain.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { RequestEffort } from '../../../src/engine/solver/request-effort.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

/** Two channels of 100,000 sat: one part cannot carry 150,000 sat, two can. */
const TWO_WAYS = tinyGraph(['A-B cap=100000sat', 'A-B cap=100000sat']);
const QUESTION: Question = {
  source: nodeNamed('A'),
  destination: nodeNamed('B'),
  amountMsat: msat(150_000_000n),
  maxfeeMsat: msat(1_000_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 1,
  maxhops: 20,
  layerIds: [],
  layerNames: [],
  includeFees: false,
};

/** Leaves only `steps` for each search for the reason; with 0, no such search begins. */
class LittleEffort extends RequestEffort {
  readonly #kernel: Kernel;
  readonly #steps: number;

  constructor(kernel: Kernel, steps: number) {
    super(kernel);
    this.#kernel = kernel;
    this.#steps = steps;
  }

  override beginReason(): boolean {
    this.#kernel.exports.setEffort(this.#steps);
    return this.#steps > 0;
  }
}

function reasonWith(effortOf: (kernel: Kernel) => RequestEffort) {
  const kernel = Kernel.inProcess(TWO_WAYS.graph);
  return kernel.reading(() => {
    kernel.applyStack([]);
    const ends = {
      source: kernel.nodeIndex(QUESTION.source)!,
      destination: kernel.nodeIndex(QUESTION.destination)!,
    };
    const effort = effortOf(kernel);
    effort.beginSearch();
    const failed = ask(kernel, QUESTION, ends);
    expect(failed.status).toBe('noCapacity');
    return explainFailure(kernel, QUESTION, diagnose(kernel, QUESTION, ends, failed, effort), ends).binding;
  });
}

it('the reason is the limit on parts if the effort suffices to find out', () => {
  expect(reasonWith((kernel) => new RequestEffort(kernel))).toEqual({
    kind: 'partsLimit',
    maxparts: 1,
    needed: 2,
  });
});

it.each([0, 1])('the reason is one of the limits if each search for it may take %i steps', (steps) => {
  expect(reasonWith((kernel) => new LittleEffort(kernel, steps))).toEqual({
    kind: 'limits',
    maxparts: 1,
    maxdelay: 2016,
    maxfeeMsat: 1_000_000n,
  });
});
