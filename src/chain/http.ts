/** HTTP as chain sources need it: one bounded answer in bounded time, or a `ChainError`. */

import { ChainError } from './chain-source.ts';

/** A block of the smallest transactions lists some 17,000 ids of 67 bytes each. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const ANSWER_MS = 30_000;

/** One request to a chain source. */
export interface HttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST; without it the request is a GET. */
  readonly body?: string;
}

/** The answer with its status; the body is text within the bound of size. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** @throws ChainError when no whole answer comes, or it is too large. */
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
