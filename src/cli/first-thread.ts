/**
 * Starts the thread of the database of `fulgurite start`, which the main thread waits for. This is the first import of
 * the program, so the thread loads its code while the main thread loads the other modules.
 */
import { FileThread } from '../store/sqlite/file-thread.ts';

if (process.argv[2] === 'start') FileThread.prepare();
