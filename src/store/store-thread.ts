/**
 * The thread of the database: it opens the file, and processes batches and queries one at a time. So a query sees every
 * earlier batch. Backups and checks continue beside them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { keepHeapSmall } from '../model/threads/quiet-heap.ts';
import type { Write } from './batch.ts';
import { LocalFile } from './sqlite/local-file.ts';
import {
  type FileRequest,
  type FromThread,
  type Opening,
  type PackedBatch,
  packed,
  type ThreadData,
  type Thrown,
  unpacked,
} from './sqlite/thread-messages.ts';
import { StoreError } from './store-error.ts';

const { answers, port } = workerData as ThreadData;
const answerCount = new Int32Array(answers);
const statements = new Map<number, string>();

function answer(message: FromThread, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
  Atomics.add(answerCount, 0, 1);
  Atomics.notify(answerCount, 0);
}

const thrownOf = (error: unknown): Thrown => {
  if (!(error instanceof StoreError))
    return { message: error instanceof Error ? error.message : String(error) };
  return { problem: error.problem, message: error.message.slice(error.path.length + 2) };
};

function groupsOf(batch: PackedBatch): Write[][] {
  return batch.map((group) =>
    group.map(([statement, ...parameters]) => ({ sql: statements.get(statement)!, parameters })),
  );
}

/** Answers a message. Errors are sent as answers, so that no error ends the thread. */
async function take(file: LocalFile, message: FileRequest): Promise<void> {
  const { id } = message;
  try {
    if (message.kind === 'write') {
      for (const [number, sql] of message.statements) statements.set(number, sql);
      file.write(groupsOf(unpacked(message.batch)), (outcome) => answer({ id, result: outcome }));
    } else if (message.kind === 'call') {
      const method = file[message.method] as (...parameters: unknown[]) => unknown;
      answer({ id, result: await method.apply(file, [...message.parameters]) });
      if (message.method === 'close') port.close();
    } else {
      const bytes = packed(await file[message.kind](message.sql, ...message.parameters));
      answer({ id, packed: bytes }, [bytes.buffer]);
    }
  } catch (error) {
    answer({ id, thrown: thrownOf(error) });
  }
}

/** Opens the file. Every later message is a request to it. */
function open({ id, path, isInspected }: Opening): void {
  try {
    const file = new LocalFile(path, { isInspected });
    port.on('message', (message: FileRequest) => void take(file, message));
    answer({ id, result: file.upgrade });
  } catch (error) {
    answer({ id, thrown: thrownOf(error) });
    port.close();
  }
}

keepHeapSmall();
port.once('message', open);
// All modules are loaded (see `FileThread`).
parentPort?.postMessage('loaded');
