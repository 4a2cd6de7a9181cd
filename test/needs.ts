/** Tests that need something that may be missing. Without it, they are skipped with the reason. */
import { describe } from 'vitest';
import { type Need, titleNeeding } from './needs-table.ts';

/** `describe` for tests that need something. They run only if `isThere` is true. */
export function describeNeeding(need: Need, isThere: boolean, title: string, body: () => void): void {
  if (isThere) describe(title, body);
  else describe.skip(titleNeeding(title, need), body);
}
