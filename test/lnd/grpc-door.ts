/**
 * The gRPC side of a stand-in: TLS with the certificate of the tests, macaroons with their permissions, and methods
 * by name. Errors of methods are answered with LND's status and message. Messages are read and written by the schema
 * in `src`, whose field numbers a test compares with LND's. The only message that this file adds is one that only a
 * server writes: the whole graph.
 */
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { STATUS } from '../../src/network/lnd/client/calls.ts';
import { schemaJson } from '../../src/network/lnd/graph/schema.ts';
import { CERT, KEY } from '../network/lnd/cert.ts';
import { LndRefusal } from './refusal.ts';

/**
 * One caller of a stream. `write` sends the caller a message; `end` ends the stream, with an error if one is
 * given.
 */
export interface StreamEnd {
  readonly write: (message: object) => void;
  readonly end: (refusal?: LndRefusal) => void;
  readonly onGone: (listener: () => void) => void;
}

/** A method with a single answer. */
export type UnaryMethod = (request: never) => object | Promise<object>;
/** A method with any number of answers. */
export type StreamMethod = (request: never, caller: StreamEnd) => void;

/** The methods of a server by name. Methods that a release lacks are absent. */
export interface DoorMethods {
  readonly unary: Readonly<Record<string, UnaryMethod>>;
  readonly streams: Readonly<Record<string, StreamMethod>>;
}

/** The permissions of each macaroon (hex): paths of methods, or all. */
export type Permissions = ReadonlyMap<string, ReadonlySet<string> | 'all'>;

/** Methods that work without a macaroon, and while the wallet is locked. */
const FREE = new Set(['/lnrpc.State/SubscribeState']);

/** Message fields that only a server writes. */
const GRAPH = {
  ChannelGraph: {
    fields: {
      nodes: { rule: 'repeated', type: 'GraphNode', id: 1 },
      edges: { rule: 'repeated', type: 'ChannelEdge', id: 2 },
    },
  },
  GraphNode: {
    fields: {
      last_update: { type: 'uint32', id: 1 },
      pub_key: { type: 'string', id: 2 },
      alias: { type: 'string', id: 3 },
      addresses: { rule: 'repeated', type: 'NodeAddress', id: 4 },
      color: { type: 'string', id: 5 },
      features: { keyType: 'uint32', type: 'Feature', id: 6 },
    },
  },
};

/** The services, with LND's own response type for `DescribeGraph`. */
function services(): ServiceDefinition[] {
  const schema = schemaJson() as unknown as {
    nested: Record<string, { nested: Record<string, { methods: Record<string, { responseType: string }> }> }>;
  };
  const { lnrpc } = schema.nested;
  Object.assign(lnrpc!.nested, GRAPH);
  lnrpc!.nested.Lightning!.methods.DescribeGraph!.responseType = 'ChannelGraph';
  const loaded = fromJSON(schema as never, {
    ...{ keepCase: true, longs: String, enums: Number, defaults: true, arrays: true, objects: true },
  });
  return Object.values(loaded).filter((entry) => !('format' in entry)) as ServiceDefinition[];
}

/** A server that can be opened, broken and closed repeatedly. */
export class GrpcDoor {
  readonly #methods: DoorMethods;
  readonly #permissions: () => Permissions;
  readonly #before: (path: string) => Promise<void>;
  #server: Server | undefined;
  #port = 0;
  #streams = new Set<StreamEnd>();

  /** @param before is awaited before each call, and may refuse the call. */
  constructor(methods: DoorMethods, permissions: () => Permissions, before: (path: string) => Promise<void>) {
    this.#methods = methods;
    this.#permissions = permissions;
    this.#before = before;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens on the same port as before. */
  async open(): Promise<void> {
    const server = new Server({ 'grpc.max_receive_message_length': 200 * 1024 * 1024 });
    for (const service of services()) server.addService(service, this.#implementation(service));
    const secured = ServerCredentials.createSsl(null, [
      { private_key: Buffer.from(KEY), cert_chain: Buffer.from(CERT) },
    ]);
    this.#port = await new Promise<number>((done, failed) => {
      server.bindAsync(`127.0.0.1:${this.#port}`, secured, (error, port) =>
        error === null ? done(port) : failed(error),
      );
    });
    this.#server = server;
  }

  /** Closes as a killed process does: every connection breaks. */
  close(): void {
    this.#streams = new Set();
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  /** Ends every open stream except those in `but`, and keeps the connections. */
  endStreams(refusal: LndRefusal, but: ReadonlySet<StreamEnd>): void {
    for (const stream of [...this.#streams]) if (!but.has(stream)) stream.end(refusal);
  }

  #implementation(service: ServiceDefinition): UntypedServiceImplementation {
    return Object.fromEntries(
      Object.entries(service).map(([name, { path, responseStream }]) => [
        name,
        (responseStream ? this.#stream(name, path) : this.#unary(name, path)) as UntypedHandleCall,
      ]),
    );
  }

  #unary(name: string, path: string) {
    return (call: ServerUnaryCall<never, object>, done: sendUnaryData<object>): void => {
      this.#admitted(path, call.metadata.get('macaroon'))
        .then(() => {
          const method = this.#methods.unary[name];
          if (method === undefined) throw unknownMethod(path);
          return method(call.request);
        })
        .then(
          (answer) => done(null, answer),
          (error) => done(statusOf(error)),
        );
    };
  }

  #stream(name: string, path: string) {
    return (call: ServerWritableStream<never, object>): void => {
      const gone: (() => void)[] = [];
      let isOver = false;
      const caller: StreamEnd = {
        write: (message) => void (isOver || call.write(message)),
        end: (refusal) => {
          if (isOver) return;
          isOver = true;
          this.#streams.delete(caller);
          for (const listener of gone) listener();
          if (refusal === undefined) call.end();
          else call.emit('error', statusOf(refusal));
        },
        onGone: (listener) => void gone.push(listener),
      };
      call.on('cancelled', () => {
        isOver = true;
        this.#streams.delete(caller);
        for (const listener of gone) listener();
      });
      this.#admitted(path, call.metadata.get('macaroon'))
        .then(() => {
          const method = this.#methods.streams[name];
          if (method === undefined) throw unknownMethod(path);
          this.#streams.add(caller);
          method(call.request, caller);
        })
        .catch((error) =>
          caller.end(error instanceof LndRefusal ? error : new LndRefusal(STATUS.internal, String(error))),
        );
    };
  }

  /** @throws LndRefusal with the text of LND's interceptors */
  async #admitted(path: string, macaroons: readonly (string | Buffer)[]): Promise<void> {
    await this.#before(path);
    if (FREE.has(path)) return;
    if (macaroons.length !== 1) {
      throw new LndRefusal(STATUS.unknown, `expected 1 macaroon, got ${macaroons.length}`);
    }
    const allowed = this.#permissions().get(String(macaroons[0]));
    if (allowed === undefined) {
      throw new LndRefusal(
        STATUS.unknown,
        'verification failed: signature mismatch after caveat verification',
      );
    }
    if (allowed !== 'all' && !allowed.has(path)) throw new LndRefusal(STATUS.unknown, 'permission denied');
  }
}

const unknownMethod = (path: string): LndRefusal => {
  const [, service, method] = path.split('/');
  return new LndRefusal(STATUS.unimplemented, `unknown method ${method} for service ${service}`);
};

function statusOf(error: unknown): Error & { code: number; details: string } {
  const { status = STATUS.internal, message } = error as LndRefusal;
  return Object.assign(new Error(message), { code: status, details: message });
}
