/** Calls back after payments, for pages that depend on them. Events of one second cause one call. */
import type { PageHost } from '../page.ts';

const GATHER_MS = 1000;

/**
 * Calls `load` within a second after each event about a payment or an attempt, and after lost events, until the user
 * leaves the page.
 */
export function onPayments({ events, left }: Pick<PageHost, 'events' | 'left'>, load: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      load();
    }, GATHER_MS);
  };
  for (const type of ['attempt', 'payment', 'reset'] as const) events.on(type, soon, left);
  left.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
