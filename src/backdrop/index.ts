/** The entry point of the backdrop: the files from which the page draws its map. */
export { Backdrop, type BackdropOptions } from './desk.ts';
export type { BackdropFile, BackdropName } from './files.ts';
export { LAYOUT_FILE } from './kept-layout.ts';
