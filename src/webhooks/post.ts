/** Posts one event. Redirects are not followed, and the answer's body is not read. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';

/** Options of `post`. */
export interface PostOptions {
  readonly lookup: LookupFunction;
  /** Maximum time until the answer begins, in milliseconds. */
  readonly timeoutMs: number;
}

/** The result: the HTTP status of the answer, or the reason why there was no answer. */
export type PostOutcome = { readonly status: number } | { readonly problem: string };

/** Posts a body. Never rejects. */
export function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { lookup, timeoutMs }: PostOptions,
): Promise<PostOutcome> {
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const request = start(url, { method: 'POST', headers: { ...headers, ...length }, lookup, agent: false });
    const timer = setTimeout(() => {
      resolve({ problem: `no response for ${timeoutMs / 1000} s` });
      request.destroy();
    }, timeoutMs);
    request.on('response', (response) => {
      clearTimeout(timer);
      resolve({ status: response.statusCode! });
      response.destroy();
    });
    request.on('error', (error) => {
      clearTimeout(timer);
      resolve({ problem: error.message });
    });
    request.end(body);
  });
}
