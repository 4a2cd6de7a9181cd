/**
 * Addresses of the explorer. `/ui/NAME/REST?QUERY` names a page and its state. Links below `/ui/` change the page
 * without a request for a new document.
 */
import type { PagePlace, QueryChange } from './page.ts';

/** Root of the explorer's addresses. */
export const ROOT = '/ui/';

/** The place of a path and a query. Parts that cannot be decoded are used unchanged. */
export function placeOf(path: string, query: string): PagePlace {
  const below = path.startsWith(ROOT) ? path.slice(ROOT.length) : '';
  const [page = '', ...rest] = below
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  return { page, rest, query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place. */
export function addressOf({ page, rest, query }: PagePlace): string {
  const path = [page, ...rest].map(encodeURIComponent).join('/');
  const text = query.toString();
  return `${ROOT}${path}${text === '' ? '' : `?${text}`}`;
}

/** A place with changes applied to its query. */
export function changed(place: PagePlace, change: QueryChange): PagePlace {
  const query = new URLSearchParams(place.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return { ...place, query };
}

/** Follows and changes the address bar. */
export class Router {
  readonly #moved: (place: PagePlace) => void;

  /** @param moved called with every new place */
  constructor(moved: (place: PagePlace) => void) {
    this.#moved = moved;
    addEventListener('popstate', () => moved(this.place));
    document.addEventListener('click', (event) => this.#clicked(event));
  }

  get place(): PagePlace {
    return placeOf(location.pathname, location.search);
  }

  /** Goes to an address below `/ui/`. */
  go(address: string, replace = false): void {
    const whole = address.startsWith('/') ? address : ROOT + address;
    if (replace) history.replaceState(null, '', whole);
    else if (whole !== location.pathname + location.search) history.pushState(null, '', whole);
    this.#moved(this.place);
  }

  #clicked(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest('a[href]');
    if (!(link instanceof HTMLAnchorElement) || link.target !== '') return;
    if (link.origin !== location.origin || !link.pathname.startsWith(ROOT) || link.hash !== '') return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  }
}
