/**
 * Reads a `gossip_store` file of any size into a channel graph, through one buffer of fixed size. Reading stops at an
 * incomplete last record, as the format requires. Corruption is an error.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelGraph } from '../model/channel-graph.ts';
import { GossipStoreLoader } from './gossip-store-loader.ts';
import { graphFileError } from './graph-file.ts';
import { MAX_RECORD_BYTES } from './store-format.ts';

/**
 * Number of bytes read at a time: small compared with the graph, but enough for many of the largest records, so that
 * system calls are rare.
 */
const BUFFER_BYTES = 2 * 1024 * 1024;
const MIN_BUFFER_BYTES = 2 * MAX_RECORD_BYTES + 1;

/** Low estimate of the bytes per channel in a file, including updates and a share of the node announcements. */
const BYTES_PER_CHANNEL = 750;
const CHANNELS_PER_NODE = 3;
/** Maximum number of channels for which memory is reserved based on the file size. */
const MAX_EXPECTED_CHANNELS = 1_000_000;

/** Number of repeated checks before corruption is reported, because the writer may be rewriting a header. */
const RETRIES = 3;
const RETRY_MS = 20;

/** Applies all complete records in the file from `loader.offset` on. Sets `loader.problem` if the file is corrupt. */
export async function drain(
  file: FileHandle,
  loader: GossipStoreLoader,
  bufferBytes = BUFFER_BYTES,
): Promise<void> {
  const unread = (await file.stat()).size - loader.offset;
  if (unread <= 0) return;
  const buffer = new Uint8Array(Math.max(Math.min(bufferBytes, unread), MIN_BUFFER_BYTES));
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, loader.offset);
    const applied = loader.apply(buffer, bytesRead);
    // A read may return less than requested in the middle of the file, so only a read that adds no records has reached
    // the end.
    if (applied === 0) return;
  }
}

/** Like `drain`, but reports corruption only if it persists over several reads. */
export async function drainPatiently(file: FileHandle, loader: GossipStoreLoader): Promise<void> {
  await drain(file, loader);
  for (let retry = 0; loader.problem !== undefined && retry < RETRIES; retry++) {
    await sleep(RETRY_MS);
    await drain(file, loader);
  }
}

/** Opens a file for reading. @throws FulguriteError `graphSource` if the path cannot be opened as a file */
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
 * @throws FulguriteError `graphSource` if the file cannot be read, is not a gossip_store or is corrupt
 */
export async function loadGossipStore(path: string): Promise<GossipStoreLoader> {
  const file = await openStore(path);
  try {
    return await loadOpenStore(file, path);
  } finally {
    await file.close();
  }
}

/** Like `loadGossipStore`, but reads an open file. @param path name of the file in errors */
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
