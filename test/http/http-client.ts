/** An HTTP client that sends raw requests, with paths and headers unchanged. */
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each answer has a shape of its own, which is what is checked
  readonly json: any;
}

export interface HttpAsk {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The certificate authority to trust, for TLS. */
  readonly ca?: string;
}

/** Sends one request and reads its whole answer. */
export function ask(
  url: string,
  { method = 'POST', headers = {}, body, ca }: HttpAsk = {},
): Promise<HttpReply> {
  const send = url.startsWith('https:') ? secure : plain;
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, headers, agent: false, ...(ca !== undefined && { ca }) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = response.headers['content-type'] === 'application/json';
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
