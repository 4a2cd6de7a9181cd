/** The files of the map as threads hand them to each other. */
import type { GraphCopy } from './links.ts';

/** What the thread of the map is asked. */
export interface BackdropOrder {
  readonly graph: GraphCopy;
  /** Steps of the layout of a graph that is new. Tests ask for few. */
  readonly stepsNew?: number | undefined;
}

/** One file, with its compressed forms where they are shorter. The bytes are shared between threads, and never change. */
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

/** The names of the files, as the page asks for them. */
export type BackdropName = 'graph' | 'ids' | 'names';
