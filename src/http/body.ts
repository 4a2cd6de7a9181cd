/** Reads request bodies up to the allowed size, and no more than needed. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorName } from '../model/errors.ts';
import type { InputBudget } from '../rpc/input-budget.ts';

/** How long a client may take to read an answer sent before the request's body arrived, in milliseconds. */
const LINGER_MS = 500;

/** The body cannot be accepted. */
export class BodyError extends Error {
  override readonly name: ErrorName;

  constructor(name: ErrorName, message: string) {
    super(message);
    this.name = name;
  }
}

/** Length of a request's body in bytes, according to its headers. Infinity if unknown. */
export function bodyLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

/**
 * The body of a request as text. After an error, the rest of the body is discarded.
 * @throws BodyError tooLarge, busy, parseError
 */
export async function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  budget: InputBudget,
): Promise<string> {
  if (bodyLength(incoming) > maxBytes && incoming.headers['transfer-encoding'] === undefined) {
    throw tooLarge(maxBytes);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      if (bytes + chunk.length > maxBytes) throw tooLarge(maxBytes);
      if (!budget.tryReserve(chunk.length)) {
        throw new BodyError('busy', `The requests of all clients exceed ${budget.maxBytes} bytes`);
      }
      bytes += chunk.length;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof BodyError || !incoming.destroyed) throw error;
    throw new BodyError('parseError', 'The body is incomplete: the client disconnected');
  } finally {
    budget.release(bytes);
  }
  const body = Buffer.concat(chunks, bytes);
  if (!isUtf8(body)) throw new BodyError('parseError', 'The body is not UTF-8');
  return body.toString('utf8');
}

const tooLarge = (maxBytes: number): BodyError =>
  new BodyError('tooLarge', `A body exceeds ${maxBytes} bytes`);

/**
 * Stops reading a request that is answered before its body has arrived, unless the body is declared to have at most
 * `maxBytes`. A client can send faster than this thread reads, so reading unneeded bodies would keep the thread busy.
 * The connection is closed soon afterwards. It is not closed at once, because then the client might lose the answer.
 */
export function leaveUnread(incoming: IncomingMessage, outgoing: ServerResponse, maxBytes: number): void {
  const { complete, socket } = incoming;
  if (complete || bodyLength(incoming) <= maxBytes) return;
  // Node's HTTP server would read the rest, in order to reuse the connection.
  incoming.on('resume', () => incoming.pause());
  // Without a first read, Node would discard the request body as fast as it arrives.
  incoming.read(0);
  outgoing.once('close', () => {
    const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(end));
  });
}
