/** Dark and light. The system decides until the reader does; the choice is kept in this browser. */
const KEY = 'fulgurite-theme';
const QUERY = '(prefers-color-scheme: dark)';

/** The themes. */
export type Theme = 'dark' | 'light';

const isTheme = (text: string | null): text is Theme => text === 'dark' || text === 'light';

/** The theme that is shown now. */
export function theme(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (isTheme(chosen)) return chosen;
  return matchMedia(QUERY).matches ? 'dark' : 'light';
}

/** Applies the reader's choice, if there is one. */
export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY);
  if (isTheme(chosen)) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

/** Changes to the other theme. Without a choice of its own where that is what the system shows. */
export function otherTheme(): void {
  const other: Theme = theme() === 'dark' ? 'light' : 'dark';
  const isSystems = matchMedia(QUERY).matches === (other === 'dark');
  if (isSystems) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, other);
  applyTheme();
  dispatchEvent(new Event('themechange'));
}

/** Tells when colours have changed, for what is drawn by a script. */
export function onTheme(listener: () => void, signal: AbortSignal): void {
  addEventListener('themechange', listener, { signal });
  matchMedia(QUERY).addEventListener('change', listener, { signal });
}

/** The value of a custom property of the page, such as `--line`. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
