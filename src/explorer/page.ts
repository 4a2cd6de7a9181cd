/**
 * The interface between a page of the explorer and its host.
 *
 * The address is the state: `/ui/NAME/REST?QUERY`. A page reads its `place`, renders itself, and changes the query with
 * `host.change`. So every view can be shared as a link, and the back button works.
 *
 * How to add a page:
 *
 * 1. A file `pages/NAME.ts` that exports `page`, a function that takes a `PageHost`. It calls `host.show` with a
 *    template of lit-html, any number of times.
 * 2. A line in `PAGES` (pages.ts). The build creates a separate file for it, which `/ui/NAME/` loads.
 * 3. Its classes in a file of `style/`, imported by `style.css`. Inline styles are refused by the content security
 *    policy: set custom properties from a script (`custom-properties.ts`), or use attributes of SVG.
 * 4. The commands that it calls. The rune of the page permits commands whose names begin with `list` or `get`. Any
 *    other read-only command needs a line in `CALLED` (`src/commands/utility/explorer.ts`).
 * 5. Shared pieces are in `pieces.ts`: amounts, times, names of nodes, terms with an explanation, the line for the
 *    terminal, the panel for errors, the table with the content of a picture. Foreign texts (aliases, labels, error
 *    texts) are inserted as text by lit-html or with `hostile`, never into attributes that are executed.
 * 6. A browser test in `test/explorer/`.
 */
import type { Events } from './events.ts';
import type { KeyHelp } from './keys.ts';
import type { Rpc } from './rpc.ts';

/** The current place: the name of the page, the rest of the path, and the query. */
export interface PagePlace {
  /** Name of the page. Empty for the start page. */
  readonly page: string;
  /** The rest of the path after the name, decoded. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** New values of members of the query. Undefined or an empty text removes the member. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

/** What a page may use. All of it is valid only while the page is open. */
export interface PageHost {
  readonly place: PagePlace;
  /** Replaces the content of the page with a lit-html template. */
  show(content: unknown): void;
  /** Sets the title of the window: the page's answer in a few words. */
  title(text: string): void;
  /** Makes screen readers announce a text once. */
  announce(text: string): void;
  /** Goes to another address below `/ui/`, such as `route?to=…`. */
  go(address: string): void;
  /**
   * Changes the query of this page, and calls `moved`. With `replace`, the back button skips the previous query. Use it
   * for sliders.
   */
  change(change: QueryChange, replace?: boolean): void;
  readonly rpc: Rpc;
  readonly events: Events;
  /** Sets the page's keyboard shortcuts, which `?` lists. */
  keys(list: readonly KeyHelp[]): void;
  /** Fires when the user leaves the page. Pass it to every call and listener. */
  readonly left: AbortSignal;
}

/** A page that is open. */
export interface OpenPage {
  /** The query has changed. If the page lacks this function, it is reopened, as after a change of the path. */
  moved?(place: PagePlace): void;
}

/** Opens a page. If this returns undefined, every change of the query reopens the page. */
export type Page = (host: PageHost) => OpenPage | undefined;
