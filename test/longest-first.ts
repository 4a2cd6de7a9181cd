/**
 * The order in which test files start. The longest start first, so that no processor waits for a long one at
 * the end. Vitest itself knows the duration of a file only if the file has run before on this machine;
 * otherwise it orders files by size.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a few seconds of work or waiting, the longest first. */
const LONGEST = [
  'engine/solver/routes.property',
  'store/conformance',
  'explorer/pay.browser',
  'cli/daemon/daemon',
  'explorer/pages.browser',
  'cli/files/data-directory',
  'payments/crash-daemon',
  'payments/simulation/simulation',
  'commands/setconfig',
  'gossip/own-gossip-store',
  'explorer/observe.browser',
  'reference/references',
  'cli/readme',
  'payments/crash',
  'network/peer/gossip-daemon',
  'payments/simulation/invoice-simulation',
  'explorer/layers.browser',
  'examples/fleet',
  'explorer/pictures/calibration.browser',
  'network/simulated/traffic',
  'fleet/chaos',
  'commands/offers/fetchinvoice-daemon',
  'examples/examples',
  'cli/beside-node',
  'interop/ldk/ldk-gossip',
  'bolt/crypto/curve',
  'cli/fuzz',
  'commands/askrene/askrene-crash',
  'plugin/in-stand-in',
  'simulation/layers-soak',
  'network/peer/crowd',
  'interop/ldk/ldk-daemon',
  'engine/host/engine',
  'laboratory/simulate',
  'commands/circles',
  'network/lnd/lnd-network',
  'cli/damaged-files',
  'engine/solver/kept-tree',
];

/** The position among the longest files. All other files come after them. */
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
