/**
 * Reads a `gossip_store` file into a channel graph, through one buffer of bounded size, regardless of the size of the
 * file. An incomplete end ends the reading, as the format requires. Corruption is an error.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelGraph } from '../model/channel-graph.ts';
import { GossipStoreLoader } from './gossip-store-loader.ts';
import { graphFileError } from './graph-file.ts';
import { MAX_RECORD_BYTES } from './store-format.ts';

/**
 * Bytes read at a time: small compared with the graph, but large enough to make system calls rare. It fits many of the
 * largest records.
 */
const BUFFER_BYTES = 2 * 1024 * 1024;
const LEAST_BUFFER_BYTES = 2 * MAX_RECORD_BYTES + 1;

/** Minimum bytes of a channel in a file, with its updates and its share of node announcements. */
const BYTES_PER_CHANNEL = 750;
const CHANNELS_PER_NODE = 3;
/** Maximum number of channels for which memory is reserved based on the file size. */
const MAX_EXPECTED_CHANNELS = 1_000_000;

/**
 * Apparent corruption may be a writer that is rewriting a record's header. So the file is checked again this many times
 * before a report.
 */
const RETRIES = 3;
const RETRY_MS = 20;

/** Applies all complete records in the file from `loader.offset` on. `loader.problem` is set if it is corrupt. */
export async function drain(
  file: FileHandle,
  loader: GossipStoreLoader,
  bufferBytes = BUFFER_BYTES,
): Promise<void> {
  const unread = (await file.stat()).size - loader.offset;
  if (unread <= 0) return;
  const buffer = new Uint8Array(Math.max(Math.min(bufferBytes, unread), LEAST_BUFFER_BYTES));
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, loader.offset);
    const applied = loader.apply(buffer, bytesRead);
    // A short read can end in the middle of the file. The end is reached only when a read adds nothing.
    if (applied === 0) return;
  }
}

/** As `drain`, but corruption counts only if it is seen several times. */
export async function drainPatiently(file: FileHandle, loader: GossipStoreLoader): Promise<void> {
  await drain(file, loader);
  for (let retry = 0; loader.problem !== undefined && retry < RETRIES; retry++) {
    await sleep(RETRY_MS);
    await drain(file, loader);
  }
}

/** Opens a file for reading. @throws FulguriteError `graphSource` when the path cannot be opened as a file. */
export async function openStore(path: string): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    throw graphFileError(path, (error as Error).message);
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw graphFileError(path, 'not a file');
}

/**
 * Reads a whole file. Returns the loader, with the graph and the offset where it stopped.
 * @throws FulguriteError `graphSource` when the file cannot be read, is not a gossip_store or is corrupt.
 */
export async function loadGossipStore(path: string): Promise<GossipStoreLoader> {
  const file = await openStore(path);
  try {
    return await loadOpenStore(file, path);
  } finally {
    await file.close();
  }
}

/** As `loadGossipStore`, from an open file. `path` is its name in errors. */
export async function loadOpenStore(file: FileHandle, path: string): Promise<GossipStoreLoader> {
  const { size } = await file.stat();
  const channels = Math.min(MAX_EXPECTED_CHANNELS, Math.ceil(size / BYTES_PER_CHANNEL));
  const loader = new GossipStoreLoader(new ChannelGraph(Math.ceil(channels / CHANNELS_PER_NODE), channels));
  try {
    await drainPatiently(file, loader);
  } catch (error) {
    throw graphFileError(path, (error as Error).message, loader.offset);
  }
  if (loader.problem !== undefined) throw graphFileError(path, loader.problem.cause, loader.problem.offset);
  if (loader.offset === 0) throw graphFileError(path, 'the file is empty', 0);
  return loader;
}
