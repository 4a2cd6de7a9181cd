/** The entry point of the files for the map on the web page. */

export type { MapFile, MapFileName } from './files.ts';
export { LAYOUT_FILE } from './kept-layout.ts';
export { MapFiles, type MapFilesOptions } from './map-files.ts';
