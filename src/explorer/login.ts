/**
 * The rune of this tab. `fulgurite explorer` opens `/ui/#rune=…`. A fragment never reaches the server or its log. It is
 * taken out of the address bar at once and kept in the session of this tab. No cookie holds it: a browser never adds it
 * to a request by itself, which is what makes requests of other sites harmless.
 *
 * A further tab of the same page asks those that are open (`BroadcastChannel`), which only scripts of this origin hear.
 */
const KEY = 'fulgurite-rune';
const CHANNEL = 'fulgurite-login';
/** Milliseconds that other tabs get to answer. */
const WAIT_MS = 150;

type LoginNews = { readonly ask: true } | { readonly rune: string };

/** Takes the rune out of the address bar, if it is there. */
function runeOfFragment(): string | undefined {
  const rune = new URLSearchParams(location.hash.slice(1)).get('rune') ?? undefined;
  if (rune !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return rune;
}

/** Keeps the rune of this tab. */
export class Login {
  readonly #channel = new BroadcastChannel(CHANNEL);
  #rune: string | undefined;

  constructor() {
    this.#rune = runeOfFragment() ?? sessionStorage.getItem(KEY) ?? undefined;
    if (this.#rune !== undefined) this.keep(this.#rune);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<LoginNews>) => {
      if ('ask' in data && this.#rune !== undefined) this.#channel.postMessage({ rune: this.#rune });
    });
  }

  get rune(): string | undefined {
    return this.#rune;
  }

  keep(rune: string): void {
    this.#rune = rune;
    sessionStorage.setItem(KEY, rune);
  }

  /** The node did not take the rune. */
  forget(): void {
    this.#rune = undefined;
    sessionStorage.removeItem(KEY);
  }

  /** Asks the other tabs for a rune, and keeps it. Resolves after a moment also when none answers. */
  async askOthers(): Promise<void> {
    if (this.#rune !== undefined) return;
    await new Promise<void>((resolve) => {
      const heard = ({ data }: MessageEvent<LoginNews>): void => {
        if ('rune' in data && this.#rune === undefined) this.keep(data.rune);
        if (this.#rune === undefined) return;
        done();
      };
      const done = (): void => {
        clearTimeout(timer);
        this.#channel.removeEventListener('message', heard);
        resolve();
      };
      const timer = setTimeout(done, WAIT_MS);
      this.#channel.addEventListener('message', heard);
      this.#channel.postMessage({ ask: true });
    });
  }
}
