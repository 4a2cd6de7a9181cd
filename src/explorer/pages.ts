/** The pages of the explorer: their names in the address, and their modules. */
import type { Page } from './page.ts';

/** A page, before its module is loaded. */
export interface PageEntry {
  /** Name of the page in the address. Empty for the start page. */
  readonly name: string;
  /** Label in the navigation. Undefined for a page that is reached only from other pages. */
  readonly label: string | undefined;
  readonly load: () => Promise<{ readonly page: Page }>;
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { name: '', label: 'Home', load: () => import('./pages/home.ts') },
  { name: 'map', label: 'Map', load: () => import('./pages/map.ts') },
  { name: 'route', label: 'Route', load: () => import('./pages/route.ts') },
  { name: 'why', label: 'Why not', load: () => import('./pages/why.ts') },
  { name: 'channels', label: 'Channels', load: () => import('./pages/channels.ts') },
  { name: 'rebalance', label: undefined, load: () => import('./pages/rebalance.ts') },
  { name: 'nodes', label: 'Nodes', load: () => import('./pages/nodes.ts') },
  { name: 'layers', label: 'Layers', load: () => import('./pages/layers.ts') },
  { name: 'beliefs', label: 'Beliefs', load: () => import('./pages/beliefs.ts') },
  { name: 'calibration', label: 'Odds', load: () => import('./pages/calibration.ts') },
  { name: 'fetch', label: 'Fetches', load: () => import('./pages/fetch.ts') },
  { name: 'metrics-view', label: 'Figures', load: () => import('./pages/metrics-view.ts') },
  { name: 'pay', label: undefined, load: () => import('./pages/pay.ts') },
];

/** The page with this name. */
export const pageNamed = (name: string): PageEntry | undefined => PAGES.find((page) => page.name === name);
