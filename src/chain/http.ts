/** HTTP for chain sources: returns an answer within limits of size and time, or throws `ChainError`. */

import { ChainError } from './chain-source.ts';

/**
 * Maximum size of an answer in bytes. The largest usual answer lists the transaction ids of a block. With the smallest
 * possible transactions, there are about 17,000 ids of 67 bytes each, or 1.1 MB.
 */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const ANSWER_MS = 30_000;

/** One request to a chain source. */
export interface HttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a POST request. Without it the request is a GET. */
  readonly body?: string;
}

/** An answer with its status. The size of the body is limited. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. @throws ChainError if there is no complete answer, or it is too large. */
export async function ask({ url, headers, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      redirect: 'error',
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { method: 'POST', body }),
    });
    return { status: response.status, text: await boundedText(response) };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    throw new ChainError(cause?.message === undefined ? message : `${message}: ${cause.message}`);
  }
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_ANSWER_BYTES) throw new ChainError('the answer is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
