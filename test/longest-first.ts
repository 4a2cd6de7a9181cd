/**
 * The order in which test files begin. The longest begin first, so that no processor waits for the last one
 * at the end. Vitest knows how long a file took only where it ran before. Otherwise it goes by size.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a few seconds of work or waiting. The longest first. */
const LONGEST = [
  'payments/crash-daemon',
  'engine/routes.property',
  'payments/simulation',
  'cli/data-directory',
  'cli/daemon',
  'reference/references',
  'simulation/layers-soak',
  'payments/crash',
  'network/peer/crowd',
  'commands/fetchinvoice-daemon',
  'examples/examples',
  'bolt/curve',
  'network/peer/gossip-daemon',
  'interop/ldk-daemon',
  'engine/engine',
  'commands/askrene-crash',
];

/** The place among the longest. Any other file comes after all of them. */
function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? LONGEST.length : place;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.sort((a, b) => placeOf(a) - placeOf(b));
  }
}
