/**
 * One simulated network for several daemons, which connect over TCP or a UNIX socket. It treats all of them as one
 * Lightning node, so one daemon may take over HTLCs that another daemon has sent. Each daemon receives every report,
 * and recognises its own attempts.
 *
 * A connection starts with a greeting (`SharedGreeting`) and a first report. Then the daemon sends the messages that it
 * would send to its own thread (`ToNetwork`), and receives such a thread's messages (`FromNetwork`). Anyone who
 * connects can spend the network's funds, which are not real.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { Packr } from 'msgpackr/pack';
import { onFrames, sendFrame } from '../frames.ts';
import { NetworkHost } from '../host.ts';
import {
  decodeToNetwork,
  encodeFromNetwork,
  type FromNetwork,
  type NetworkThreadData,
  type ToNetwork,
} from '../messages.ts';

/** Version of the protocol. It increases when messages change. Daemons and network must have the same version. */
export const SHARED_PROTOCOL = 1;
/** Maximum number of connected daemons. */
const MAX_CLIENTS = 64;
/** Maximum size of the messages queued for a daemon, in bytes. A daemon whose queue exceeds it is disconnected. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

const KINDS: readonly string[] = ['offer', 'message', 'control'] satisfies ToNetwork[0][];

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** The network's first message. */
export interface SharedGreeting {
  readonly protocol: number;
  /** The name of the network's graph. Daemons must use the same graph. */
  readonly graph: string;
  /** The key of the node that all daemons share. */
  readonly secretKey: Uint8Array;
}

/** Packs a greeting. */
export const encodeGreeting = (greeting: SharedGreeting): Uint8Array => Uint8Array.from(packr.pack(greeting));

/** Decodes a greeting. Undefined if the bytes are not a greeting. */
export function decodeGreeting(bytes: Uint8Array): SharedGreeting | undefined {
  try {
    const read = packr.unpack(bytes) as Partial<SharedGreeting> | null;
    const { protocol, graph, secretKey } = read ?? {};
    if (typeof protocol !== 'number' || typeof graph !== 'string' || !(secretKey instanceof Uint8Array)) {
      return undefined;
    }
    return { protocol, graph, secretKey: Uint8Array.from(secretKey) };
  } catch {
    return undefined;
  }
}

/** What to share, and where to report problems. */
export interface SharedHostOptions {
  readonly data: NetworkThreadData;
  readonly greeting: Omit<SharedGreeting, 'protocol'>;
  readonly onProblem?: (message: string) => void;
}

/** Serves a simulation to daemons. */
export class SharedHost {
  readonly host: NetworkHost;
  readonly #server: Server;
  readonly #greeting: Uint8Array;
  readonly #onProblem: (message: string) => void;
  readonly #clients = new Set<Socket>();
  /**
   * Operations in progress, by our number for each operation: the client, and the client's number for the operation.
   */
  readonly #asked = new Map<number, { readonly client: Socket; readonly id: number }>();
  #lastAsked = 0;
  #state: Pick<FromNetwork, 'identity' | 'channels' | 'height'> = { height: 0 };

  /** @throws FulguriteError when the network or its journal cannot be created from the data. */
  constructor({ data, greeting, onProblem }: SharedHostOptions) {
    this.#greeting = encodeGreeting({ protocol: SHARED_PROTOCOL, ...greeting });
    this.#onProblem = onProblem ?? (() => undefined);
    this.host = new NetworkHost(data, (report) => this.#report(report));
    this.#server = createServer({ noDelay: true }, (client) => this.#welcome(client));
    this.#server.maxConnections = MAX_CLIENTS;
  }

  /** Number of connected daemons. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Accepts daemons at a path, or at a port of a host. Resolves with the port. @throws a system error */
  listen(at: string | { readonly host: string; readonly port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      const ready = (): void => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#onProblem(error.message));
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      };
      if (typeof at === 'string') this.#server.listen(at, ready);
      else this.#server.listen(at.port, at.host, ready);
    });
  }

  /** Ends all connections and the simulation. */
  close(): void {
    this.#server.close();
    for (const client of this.#clients) client.destroy();
    this.host.close();
  }

  #welcome(client: Socket): void {
    client.on('error', () => undefined);
    client.on('close', () => this.#forget(client));
    sendFrame(client, this.#greeting);
    const nothing = { taken: [], outcomes: [], messages: [], replies: [] };
    sendFrame(client, encodeFromNetwork({ ...this.#state, ...nothing }));
    this.#clients.add(client);
    onFrames(client, (bytes) => this.#serve(client, bytes));
  }

  #serve(client: Socket, bytes: Uint8Array): void {
    try {
      const requests = decodeToNetwork(bytes).map((request): ToNetwork => {
        if (!KINDS.includes(request[0])) throw new TypeError(`unknown request ${request[0]}`);
        if (request[0] !== 'control') return request;
        const [kind, id, name, args] = request;
        this.#asked.set(++this.#lastAsked, { client, id });
        return [kind, this.#lastAsked, name, args];
      });
      this.host.receive(requests);
    } catch (error) {
      this.#onProblem(`disconnected a daemon that sent unreadable data: ${(error as Error).message}`);
      client.destroy();
    }
  }

  #report(report: FromNetwork): void {
    const { replies, identity, channels, height } = report;
    this.#state = {
      ...this.#state,
      ...{ height },
      ...(identity !== undefined && { identity }),
      ...(channels !== undefined && { channels }),
    };
    const { identity: _, replies: __, ...news } = report;
    for (const client of this.#clients) {
      const own = replies.flatMap(([number, ...reply]) => {
        const from = this.#asked.get(number);
        return from?.client === client ? [[from.id, ...reply] as (typeof replies)[number]] : [];
      });
      const unsent = sendFrame(client, encodeFromNetwork({ ...news, replies: own }));
      if (unsent > MAX_UNSENT_BYTES) client.destroy(new Error('it does not read its messages'));
    }
    for (const [number] of replies) this.#asked.delete(number);
  }

  #forget(client: Socket): void {
    this.#clients.delete(client);
    for (const [number, asked] of this.#asked) if (asked.client === client) this.#asked.delete(number);
  }
}
