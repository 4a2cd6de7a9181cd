/** The entry point of the backdrop: the files for the map on the web page. */
export { Backdrop, type BackdropOptions } from './desk.ts';
export type { BackdropFile, BackdropName } from './files.ts';
export { LAYOUT_FILE } from './kept-layout.ts';
