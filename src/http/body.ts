/** Reads the bodies of requests, up to the allowed size. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ErrorName } from '../model/errors.ts';
import type { InputBudget } from '../rpc/input-budget.ts';

/** The body cannot be taken. */
export class BodyError extends Error {
  override readonly name: ErrorName;

  constructor(name: ErrorName, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * The body of a request as text. After an error, the rest of the body is dropped.
 * @throws BodyError tooLarge, busy, parseError
 */
export async function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  budget: InputBudget,
): Promise<string> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
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
  } finally {
    budget.release(bytes);
  }
  const body = Buffer.concat(chunks, bytes);
  if (!isUtf8(body)) throw new BodyError('parseError', 'The body is not UTF-8');
  return body.toString('utf8');
}

const tooLarge = (maxBytes: number): BodyError =>
  new BodyError('tooLarge', `A body exceeds ${maxBytes} bytes`);
