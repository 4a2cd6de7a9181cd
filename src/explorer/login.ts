/**
 * The rune of this tab. `fulgurite explorer` opens `/ui/#code=…`. Browsers keep opened addresses in their history,
 * including fragments, so the link contains a code that works only once. The page removes the code from the address bar
 * and exchanges it for the rune, which is stored in the session of this tab. The rune is not in a cookie, so the
 * browser never adds it to a request on its own, and requests from other sites are harmless.
 *
 * A link that is opened in a tab with the page changes only the fragment. The page then exchanges the code without
 * reloading.
 *
 * A new tab asks the tabs that are already open for the rune (`BroadcastChannel`). Only scripts of this origin receive
 * the question.
 */
const KEY = 'fulgurite-rune';
const CHANNEL = 'fulgurite-login';
const REDEEM = '/ui/redeem';
/** Milliseconds to wait for answers of other tabs. */
const WAIT_MS = 150;

type LoginMessage = { readonly ask: true } | { readonly rune: string };

/** Removes the code of a link from the address bar, and returns it. Undefined if there is none. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Exchanges a code for a rune. @throws Error with the reason, for the user */
async function redeemed(code: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(REDEEM, { method: 'POST', headers: { Code: code } });
  } catch {
    throw new Error('The service does not answer. Is it running?');
  }
  const { rune, message } = await response.json();
  if (response.ok) return rune;
  throw new Error(`${message}.`);
}

/** Obtains and stores the rune of this tab. */
export class Login {
  readonly #channel = new BroadcastChannel(CHANNEL);
  #rune: string | undefined;
  /** Why the last link failed, for the user. */
  fault: string | undefined;

  /**
   * @param onLink called after the code of a link was exchanged or refused, if the link was opened in this tab while
   *   the tab showed the page
   */
  constructor(onLink: () => void) {
    this.#rune = sessionStorage.getItem(KEY) ?? undefined;
    this.#channel.addEventListener('message', ({ data }: MessageEvent<LoginMessage>) => {
      if ('ask' in data && this.#rune !== undefined) this.#channel.postMessage({ rune: this.#rune });
    });
    addEventListener('hashchange', () => {
      const code = takeCode();
      if (code !== undefined) void this.#redeem(code).then(onLink);
    });
  }

  get rune(): string | undefined {
    return this.#rune;
  }

  keep(rune: string): void {
    this.#rune = rune;
    this.fault = undefined;
    sessionStorage.setItem(KEY, rune);
  }

  /** Removes the rune. Call this when the node has refused it. */
  forget(): void {
    this.#rune = undefined;
    sessionStorage.removeItem(KEY);
  }

  /** Finds the rune of a new tab: from the link that opened it, otherwise from other tabs. */
  async begin(): Promise<void> {
    const code = takeCode();
    if (code !== undefined) await this.#redeem(code);
    await this.#askOthers();
  }

  /** Exchanges the code of a link. If the link has expired, the tab keeps the rune that it has. */
  async #redeem(code: string): Promise<void> {
    try {
      this.keep(await redeemed(code));
    } catch (error) {
      this.fault = (error as Error).message;
    }
  }

  /** Asks the other tabs for the rune, and stores it. Resolves after a moment even if no tab answers. */
  async #askOthers(): Promise<void> {
    if (this.#rune !== undefined) return;
    await new Promise<void>((resolve) => {
      const heard = ({ data }: MessageEvent<LoginMessage>): void => {
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
