/** The files of the map, as passed between threads. */
import type { GraphCopy } from './links.ts';

/** A request to the thread that generates the map. */
export interface MapOrder {
  readonly graph: GraphCopy;
  /** Number of layout steps for a new graph. Tests use few. */
  readonly stepsNew?: number | undefined;
}

/**
 * A file with its compressed forms. The file of node ids has none. The bytes are shared between threads and never
 * change.
 */
export interface MapFile {
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly gzip?: Uint8Array;
  readonly br?: Uint8Array;
}

/** The files of one version of the graph. */
export interface MapFileSet {
  readonly version: number;
  readonly isSettled: boolean;
  readonly graph: MapFile;
  readonly ids: MapFile;
  readonly names: MapFile;
}

/** The names by which the page requests the files. */
export type MapFileName = 'graph' | 'ids' | 'names';
