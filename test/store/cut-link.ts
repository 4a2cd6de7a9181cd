/**
 * A link that can be cut like a network: bytes vanish in both directions, neither end is notified, and new
 * connections are accepted but never answered.
 */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/** Forwards connections on loopback to a port. */
export class CutLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: 'nothing' | 'answers' | 'everything' = 'nothing';
  #to: number;

  private constructor(server: Server, to: number) {
    this.#server = server;
    this.#to = to;
  }

  static async to(port: number): Promise<CutLink> {
    const server = createServer();
    const link = new CutLink(server, port);
    server.on('connection', (near) => link.#pass(near, dial(link.#to, '127.0.0.1')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** From now on nothing passes, or only the clients' bytes. */
  cut(what: 'answers' | 'everything' = 'everything'): void {
    this.#cut = what;
  }

  /** New connections go to this port from now on. Existing ones continue. */
  leadTo(port: number): void {
    this.#to = port;
  }

  /** New connections pass again. Connections that were cut stay dead. */
  mend(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#cut = 'nothing';
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #pass(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => {
        const passes = this.#cut === 'nothing' || (this.#cut === 'answers' && from === near);
        if (passes) to.write(bytes);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
