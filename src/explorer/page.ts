/**
 * What a page of the explorer is.
 *
 * The address is the state: `/ui/NAME/REST?QUERY`. A page reads its `place`, shows itself, and changes the query with
 * `host.change`. So every view can be sent to a colleague, and the back button works.
 *
 * How to add a page:
 *
 * 1. A file `pages/NAME.ts` that exports `page`, a function that takes a `PageHost`. It calls `host.show` with a
 *    template of lit-html, as often as it wants.
 * 2. A line in `PAGES` (pages.ts). The build makes a file of its own for it, and `/ui/NAME/` begins with it.
 * 3. Its classes in `style.css`, under a comment with its name; those of pages that look at what happened are in
 *    `observe.css`. Inline styles are refused by the content security policy: set custom properties from a script
 *    (`custom-properties.ts`), or use attributes of SVG.
 * 4. The commands that it calls. The rune of the page permits those whose names begin with `list` or `get`. Any other
 *    that only reads gets a line in `CALLED` (`src/commands/utility/explorer.ts`).
 * 5. Shared pieces are in `pieces.ts`: amounts, times, names of nodes, terms with an explanation, the line for the
 *    terminal, the panel for errors, the table that says the same as a picture. Texts of others (aliases, labels, error
 *    texts) go through lit-html's text places or `hostile`, never into attributes that run.
 * 6. A journey in `test/explorer/`.
 */
import type { Events } from './events.ts';
import type { KeyHelp } from './keys.ts';
import type { Rpc } from './rpc.ts';

/** Where we are: the name of the page, what follows it in the path, and the query. */
export interface PagePlace {
  /** Name of the page. Empty for the start page. */
  readonly page: string;
  /** What follows the name in the path, decoded. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** Changes of the query. Undefined or an empty text removes a name. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

/** What a page is given. All of it ends with the page. */
export interface PageHost {
  readonly place: PagePlace;
  /** Replaces what the page shows by a template of lit-html. */
  show(content: unknown): void;
  /** The answer of the page in a few words. It becomes the title of the window. */
  title(text: string): void;
  /** Has a screen reader announce a text, once. */
  announce(text: string): void;
  /** Goes to another address below `/ui/`, such as `route?to=…`. */
  go(address: string): void;
  /**
   * Changes the query of this page, and tells the page by `moved`. With `replace`, the back button does not return
   * to the query before, as is right for a slider.
   */
  change(change: QueryChange, replace?: boolean): void;
  readonly rpc: Rpc;
  readonly events: Events;
  /** Keys that this page knows. They are listed by `?`. */
  keys(list: readonly KeyHelp[]): void;
  /** Fires when the reader leaves the page. Give it to every call and listener. */
  readonly left: AbortSignal;
}

/** A page that is open. */
export interface OpenPage {
  /** The query has changed. Without this function, the page is reopened, as it is when the path changes. */
  moved?(place: PagePlace): void;
}

/** Opens a page. */
export type Page = (host: PageHost) => OpenPage | undefined;
