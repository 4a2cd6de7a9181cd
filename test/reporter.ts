/**
 * Test reporter: vitest's own, then one plain line `N passed, N failed[, N skipped]` for scripts to read.
 */

import type { TestModule } from 'vitest/node';
import { DefaultReporter } from 'vitest/node';

export default class SummaryReporter extends DefaultReporter {
  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: Parameters<DefaultReporter['onTestRunEnd']>[1],
    reason: Parameters<DefaultReporter['onTestRunEnd']>[2],
  ): void {
    super.onTestRunEnd(modules as TestModule[], errors, reason);
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const test of module.children.allTests()) count[test.result().state]++;
    }
    const skipped = count.skipped + count.pending;
    console.log(`${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}
