/**
 * The test reporter: vitest's own, followed by a plain line `N passed, N failed[, N skipped]` for scripts, and one
 * line for each reason why tests were skipped. If a test process dies, it lists the files that did not finish. A
 * test that failed first and then passed is listed with its first error.
 */

import type { TestCase, TestModule } from 'vitest/node';
import { DefaultReporter } from 'vitest/node';
import { closingLines } from './needs-table.ts';

export default class SummaryReporter extends DefaultReporter {
  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: Parameters<DefaultReporter['onTestRunEnd']>[1],
    reason: Parameters<DefaultReporter['onTestRunEnd']>[2],
  ): void {
    super.onTestRunEnd(modules as TestModule[], errors, reason);
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    const skippedTitles: string[] = [];
    for (const module of modules) {
      if (['queued', 'pending'].includes(module.state())) console.log(`not finished: ${module.moduleId}`);
      count.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        count[state]++;
        if (state === 'skipped' || state === 'pending') skippedTitles.push(test.fullName);
        if (test.diagnostic()?.flaky) console.log(secondAttempt(test));
      }
    }
    // A run may fail before its first test, for example if the build fails. It must not look like a run
    // without failures.
    if (reason === 'failed' && count.failed === 0) count.failed = 1;
    for (const line of closingLines(count.passed, count.failed, skippedTitles)) console.log(line);
  }
}

function secondAttempt(test: TestCase): string {
  const [first] = test.result().errors ?? [];
  return `passed only at the second attempt: ${test.module.moduleId} > ${test.fullName}: ${first?.message.split('\n', 1)[0]}`;
}
