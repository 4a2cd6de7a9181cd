/** The entry point of the backdrop: the files for the page's map. */
export { Backdrop, type BackdropOptions } from './desk.ts';
export type { BackdropFile, BackdropName } from './files.ts';
export { LAYOUT_FILE } from './kept-layout.ts';
