/** Dark and light theme. The system's setting applies until the user chooses. The choice is stored in this browser. */
const KEY = 'fulgurite-theme';
const QUERY = '(prefers-color-scheme: dark)';
/** Media queries under which the dark style sheet applies, by the user's choice. */
const DARK_MEDIA = { dark: 'screen', light: 'not all', none: `screen and ${QUERY}` } as const;

/** The themes. */
export type Theme = 'dark' | 'light';

const isTheme = (text: string | null): text is Theme => text === 'dark' || text === 'light';

/** The current theme. */
export function theme(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (isTheme(chosen)) return chosen;
  return matchMedia(QUERY).matches ? 'dark' : 'light';
}

/** Applies the user's choice, or the system's setting if there is none. */
export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY);
  const sheet = document.querySelector<HTMLLinkElement>('link#dark');
  if (sheet !== null) sheet.media = DARK_MEDIA[isTheme(chosen) ? chosen : 'none'];
}

/** Switches to the other theme. If that theme equals the system's setting, the stored choice is removed. */
export function otherTheme(): void {
  const other: Theme = theme() === 'dark' ? 'light' : 'dark';
  const isSystems = matchMedia(QUERY).matches === (other === 'dark');
  if (isSystems) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, other);
  applyTheme();
  dispatchEvent(new Event('themechange'));
}

/** Calls the listener when the colours have changed, for scripts that draw. */
export function onTheme(listener: () => void, signal: AbortSignal): void {
  addEventListener('themechange', listener, { signal });
  document.querySelector('link#dark')?.addEventListener('load', listener, { signal });
  matchMedia(QUERY).addEventListener('change', listener, { signal });
}

/** The value of a custom property of the page, such as `--line`. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
