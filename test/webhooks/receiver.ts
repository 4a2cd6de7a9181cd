/** A receiver of webhooks for tests: it records accepted requests, and fails or goes away on demand. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One received request. */
export interface Received {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

/** The status of an answer; `hang` for no answer; undefined for status 204. */
type ReceiverAnswer = number | 'hang' | undefined;

export class Receiver {
  /** The accepted and the refused requests. */
  readonly taken: Received[] = [];
  readonly refused: Received[] = [];
  /** Chooses the next answer: 204 if undefined, the status if a number, no answer if `hang`. */
  answer: (request: Received) => ReceiverAnswer | Promise<ReceiverAnswer> = () => undefined;
  #server: Server | undefined;
  #port = 0;

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const header = (name: string): string => String(request.headers[name]);
        const received = {
          id: header('webhook-id'),
          timestamp: header('webhook-timestamp'),
          signature: header('webhook-signature'),
          body: Buffer.concat(chunks).toString('utf8'),
        };
        const answer = (await this.answer(received)) ?? 204;
        if (answer === 'hang') return;
        (answer < 300 ? this.taken : this.refused).push(received);
        response.writeHead(answer, { location: 'http://127.0.0.1:1/' }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/events`;
  }

  /** Stops at once. A later `start` listens on the same port. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
