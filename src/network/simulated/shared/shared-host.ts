/**
 * One simulated network for several daemons, which connect over TCP or a UNIX socket. It treats all of them as one
 * Lightning node, so one daemon may take over HTLCs that another daemon has sent. The outcome of an HTLC goes to the
 * daemons that sent it or looked it up; if none of them is connected, it goes to all. Every daemon receives changes of
 * the node's channels: together with reports about its HTLCs, and otherwise gathered for `GATHER_MS`.
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
/** Milliseconds for which changes of channels are gathered for a daemon that gets no other report meanwhile. */
const GATHER_MS = 100;

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

/** A report without events. */
const NOTHING = { taken: [], outcomes: [], messages: [], replies: [] } as const;

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
  /** Clients that lack the latest state of the channels. */
  readonly #behind = new Set<Socket>();
  #gather: NodeJS.Timeout | undefined;
  /** HTLCs without an outcome, by attempt: the clients that sent or looked up each. */
  readonly #followers = new Map<string, Set<Socket>>();
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
    clearTimeout(this.#gather);
    for (const client of this.#clients) client.destroy();
    this.host.close();
  }

  #welcome(client: Socket): void {
    client.on('error', () => undefined);
    client.on('close', () => this.#forget(client));
    sendFrame(client, this.#greeting);
    sendFrame(client, encodeFromNetwork({ ...this.#state, ...NOTHING }));
    this.#clients.add(client);
    onFrames(client, (bytes) => this.#serve(client, bytes));
  }

  #serve(client: Socket, bytes: Uint8Array): void {
    try {
      const requests = decodeToNetwork(bytes).map((request): ToNetwork => {
        if (!KINDS.includes(request[0])) throw new TypeError(`unknown request ${request[0]}`);
        if (request[0] === 'offer') this.#follow(request[1].attemptId, client);
        if (request[0] !== 'control') return request;
        const [kind, id, name, args] = request;
        if (name === 'lookUpHtlcs') {
          for (const attemptId of args[0] as string[]) this.#followers.get(attemptId)?.add(client);
        }
        this.#asked.set(++this.#lastAsked, { client, id });
        return [kind, this.#lastAsked, name, args];
      });
      this.host.receive(requests);
    } catch (error) {
      this.#onProblem(`disconnected a daemon that sent unreadable data: ${(error as Error).message}`);
      client.destroy();
    }
  }

  #follow(attemptId: string, client: Socket): void {
    const followers = this.#followers.get(attemptId);
    if (followers === undefined) this.#followers.set(attemptId, new Set([client]));
    else followers.add(client);
  }

  #report(report: FromNetwork): void {
    const { replies, identity, channels, height, taken, outcomes, messages } = report;
    const isNewHeight = height !== this.#state.height;
    this.#state = {
      ...{ height, identity: identity ?? this.#state.identity },
      channels: channels ?? this.#state.channels,
    };
    const isOf = (client: Socket, attemptId: string): boolean =>
      this.#followers.get(attemptId)?.has(client) ?? true;
    for (const client of this.#clients) {
      if (channels !== undefined) this.#behind.add(client);
      const own = {
        taken: taken.filter(([attemptId]) => isOf(client, attemptId)),
        outcomes: outcomes.filter(([attemptId]) => isOf(client, attemptId)),
        messages,
        replies: replies.flatMap(([number, ...reply]) => {
          const from = this.#asked.get(number);
          return from?.client === client ? [[from.id, ...reply] as (typeof replies)[number]] : [];
        }),
      };
      if (isNewHeight || Object.values(own).some(({ length }) => length > 0)) this.#send(client, own);
    }
    for (const [attemptId] of outcomes) this.#followers.delete(attemptId);
    for (const [number] of replies) this.#asked.delete(number);
    if (this.#behind.size > 0) this.#gather ??= setTimeout(() => this.#sendChannels(), GATHER_MS);
  }

  #sendChannels(): void {
    this.#gather = undefined;
    for (const client of this.#behind) this.#send(client, NOTHING);
  }

  /**
   * Sends a report, with the channels if the client lacks their latest state. Disconnects a client that does not read
   * its messages.
   */
  #send(client: Socket, own: Pick<FromNetwork, 'taken' | 'outcomes' | 'messages' | 'replies'>): void {
    const { height, channels } = this.#state;
    const isBehind = this.#behind.delete(client) && channels !== undefined;
    const bytes = encodeFromNetwork({ height, ...(isBehind && { channels }), ...own });
    if (sendFrame(client, bytes) > MAX_UNSENT_BYTES) {
      client.destroy();
    }
  }

  #forget(client: Socket): void {
    this.#clients.delete(client);
    this.#behind.delete(client);
    for (const [attemptId, followers] of this.#followers) {
      if (followers.delete(client) && followers.size === 0) this.#followers.delete(attemptId);
    }
    for (const [number, asked] of this.#asked) if (asked.client === client) this.#asked.delete(number);
  }
}
