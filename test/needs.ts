/**
 * Tests that need something which may be missing. They run where it is there, and are skipped with their
 * reason elsewhere.
 */
import { describe } from 'vitest';
import { type Need, titleNeeding } from './needs-table.ts';

/** `describe` for tests that need something. `isThere` reports whether it is there. */
export function describeNeeding(need: Need, isThere: boolean, title: string, body: () => void): void {
  if (isThere) describe(title, body);
  else describe.skip(titleNeeding(title, need), body);
}
