/** The files of the map, as passed between threads. */
import type { GraphCopy } from './links.ts';

/** A request to the thread that generates the map. */
export interface BackdropOrder {
  readonly graph: GraphCopy;
  /** Number of layout steps for a new graph. Tests use few. */
  readonly stepsNew?: number | undefined;
}

/**
 * A file with its compressed forms. The file of node ids has none. The bytes are shared between threads and never
 * change.
 */
export interface BackdropFile {
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly gzip?: Uint8Array;
  readonly br?: Uint8Array;
}

/** The files of one version of the graph. */
export interface BackdropFiles {
  readonly version: number;
  readonly isSettled: boolean;
  readonly graph: BackdropFile;
  readonly ids: BackdropFile;
  readonly names: BackdropFile;
}

/** The names by which the page requests the files. */
export type BackdropName = 'graph' | 'ids' | 'names';
