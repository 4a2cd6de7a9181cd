/** A node with only layers, served on a socket. It can be restarted on its database. */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { NodeContext } from '../../../src/commands/context.ts';
import { COMMANDS } from '../../../src/commands/index.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { Store } from '../../../src/store/store.ts';
import { RawClient, serve, type TestServer, temporaryDirectory } from '../../rpc/support.ts';
import { withListedError } from '../books/listed-errors.ts';

export interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A node whose clock and disk the test controls. */
export class LayerNode {
  /** The node's time in UNIX seconds. */
  now = 1_795_225_900;
  /** While true, every write to the database fails. */
  diskFull = false;
  book = new LayerBook(() => this.now);
  readonly #directory = temporaryDirectory();
  #developer = false;
  #store: Store | undefined;
  #server: TestServer | undefined;
  #client: RawClient | undefined;
  #nextId = 0;

  async start(developer = false): Promise<void> {
    this.#developer = developer;
    this.book = new LayerBook(() => this.now);
    const onStep = () => {
      if (this.diskFull) throw new Error('disk full');
    };
    const store = new Store(join(this.#directory.path, 'node.sqlite'), { onStep });
    await store.layers.attach(this.book);
    this.#store = store;
    const context: Pick<NodeContext, 'layers' | 'layersDurable'> = {
      layers: this.book,
      layersDurable: () => store.committer.durable(),
    };
    this.#server = await serve(COMMANDS, context as NodeContext, {}, developer);
    this.#client = new RawClient(this.#server.path);
  }

  async stop(): Promise<void> {
    this.#client?.close();
    await this.#server?.stop();
    this.#store?.close();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start(this.#developer);
  }

  async destroy(): Promise<void> {
    await this.stop();
    this.#directory.remove();
  }

  /** Sends the text of a request, and returns the text of its answer. */
  raw(request: string): Promise<string | undefined> {
    return this.#client!.ask(request);
  }

  /** A second client on the node's socket, for requests that end a connection. */
  client(): RawClient {
    return new RawClient(this.#server!.path);
  }

  async call(method: string, params: object): Promise<Answer> {
    const id = this.#nextId++;
    const text = await this.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return withListedError(method, JSON.parse(text!) as Answer);
  }

  /** The result of a call that must succeed. Throws the text of the error otherwise. */
  async result(method: string, params: object): Promise<unknown> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  /**
   * `code message` of a call that must fail. For refused parameters, the data also name the parameter and the reason.
   */
  async error(method: string, params: object): Promise<string> {
    const { error } = await this.call(method, params);
    if (error?.code === -32602) {
      const { reason, ...rest } = error.data as Record<string, unknown>;
      expect(reason).toEqual(expect.any(String));
      if (reason !== 'too many parameters') expect(rest.parameter).toEqual(expect.any(String));
      for (const name of Object.keys(rest)) expect(name).toMatch(/^[a-z_]+$/);
    }
    return error === undefined ? 'no error' : `${error.code} ${error.message}`;
  }
}
