/**
 * A client of LND's gRPC interface, over HTTP/2 and TLS. It runs in its own thread (`lnd-worker.ts`), so that a large
 * response does not block other work.
 *
 * One connection is for the graph and the `Subscribe…` methods, another for all other calls, so that receiving the
 * graph (24 MB) delays no HTLC. Only the pinned certificate is accepted. Nothing is retried here, because repeating an
 * HTLC could pay twice.
 */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  type ChannelCredentials,
  Client,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { fromJSON, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { type LndMethod, METHOD_PATHS, schemaJson } from '../graph/schema.ts';
import { type LndCalls, LndError, STATUS, type StreamListener } from './calls.ts';
import { type LndCredentials, type LndPlace, readCredentials } from './credentials.ts';

type Definition = MethodDefinition<object, object>;

/**
 * Maximum size of an answer in bytes: more than ten times the main network's graph (24 MB). LND itself has no limit.
 */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;

/** Options of our connections. LND refuses pings less than 5 s apart, and pings without an open call. */
const OPTIONS: ClientOptions = {
  'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
  'grpc.max_send_message_length': MAX_REQUEST_BYTES,
  'grpc.keepalive_time_ms': 60_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.enable_retries': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 5_000,
};

/** The definitions of all methods, by path. */
function definitions(): ReadonlyMap<string, Definition> {
  const loaded = fromJSON(schemaJson(), {
    keepCase: true,
    longs: String,
    enums: Number,
    defaults: true,
    arrays: true,
    objects: true,
  });
  const services = Object.values(loaded).filter((entry) => !('format' in entry)) as ServiceDefinition[];
  const methods = services.flatMap((service) => Object.values(service)) as Definition[];
  return new Map(methods.map((method) => [method.path, method]));
}

/** Makes gRPC calls in the calling thread. */
export class GrpcClient implements LndCalls {
  readonly #place: LndPlace;
  readonly #definitions = definitions();
  #calls: Client | undefined;
  #lists: Client | undefined;
  #metadata = new Metadata();
  #cert = '';
  readonly #open = new Set<() => void>();

  constructor(place: LndPlace) {
    this.#place = place;
  }

  async reconnect(): Promise<void> {
    const { address, cert, macaroon } = this.#read();
    this.#calls?.close();
    this.#lists?.close();
    this.#cert = cert;
    this.#metadata = new Metadata();
    this.#metadata.set('macaroon', macaroon);
    const secured = credentials.createSsl(Buffer.from(cert));
    const options = { ...OPTIONS, ...nameOption(cert, address) };
    this.#calls = clientFor(address, secured, options);
    this.#lists = clientFor(address, secured, options);
  }

  #read(): LndCredentials {
    try {
      return readCredentials(this.#place);
    } catch (error) {
      throw new LndError(STATUS.unauthenticated, (error as Error).message);
    }
  }

  async call<T>(method: LndMethod, request: object, timeoutMs?: number): Promise<T> {
    const definition = this.#definition(method);
    const client = this.#clientOf(method);
    const deadline = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
    // A hand-written reader decodes the graph in a fifth of the time that protobufjs takes.
    const read =
      method === 'DescribeGraph'
        ? (bytes: Buffer) => bytes
        : (bytes: Buffer) => definition.responseDeserialize(bytes);
    return new Promise<T>((resolve, reject) => {
      const cancel = (): void => call.cancel();
      const call = client.makeUnaryRequest(
        definition.path,
        (message: object) => definition.requestSerialize(message),
        read,
        request,
        this.#metadata,
        deadline,
        (error, answer) => {
          this.#open.delete(cancel);
          if (error === null) resolve(answer as T);
          else reject(this.#errorOf(error));
        },
      );
      this.#open.add(cancel);
    });
  }

  stream(method: LndMethod, request: object, { onMessage, onEnd }: StreamListener): () => void {
    const definition = this.#definition(method);
    const stream = this.#clientOf(method).makeServerStreamRequest(
      definition.path,
      (message: object) => definition.requestSerialize(message),
      (bytes: Buffer) => definition.responseDeserialize(bytes),
      request,
      this.#metadata,
    );
    const cancel = (): void => stream.cancel();
    this.#open.add(cancel);
    let isOver = false;
    const end = (error: LndError): void => {
      this.#open.delete(cancel);
      if (isOver) return;
      isOver = true;
      onEnd(error);
    };
    stream.on('data', (message: unknown) => {
      if (!isOver) onMessage(message as never);
    });
    stream.on('error', (error) => end(this.#errorOf(error as ServiceError)));
    stream.on('end', () => end(new LndError(STATUS.unavailable, 'the stream has ended')));
    return () => {
      isOver = true;
      this.#open.delete(cancel);
      stream.cancel();
    };
  }

  async close(): Promise<void> {
    for (const cancel of this.#open) cancel();
    this.#calls?.close();
    this.#lists?.close();
    // A closed client would throw errors that are not `LndError`s.
    this.#calls = undefined;
    this.#lists = undefined;
  }

  #definition(method: LndMethod): Definition {
    return this.#definitions.get(METHOD_PATHS[method])!;
  }

  #clientOf(method: LndMethod): Client {
    const isLarge = method === 'DescribeGraph' || method.startsWith('Subscribe');
    const client = isLarge ? this.#lists : this.#calls;
    if (client === undefined) throw new LndError(STATUS.unavailable, 'not connected');
    return client;
  }

  #errorOf({ code, details, message }: ServiceError): LndError {
    return new LndError(code, this.#aboutCertificate(details) ?? (details || message));
  }

  /** Explains an OpenSSL error about a certificate. Undefined for other errors. */
  #aboutCertificate(details: string): string | undefined {
    if (/certificate has expired/i.test(details)) {
      const { validTo } = new X509Certificate(this.#cert);
      return `LND's certificate expired (${validTo}): restart LND to create a new one, and copy the new tls.cert`;
    }
    if (!/certificate|self.signed|unable to verify/i.test(details)) return undefined;
    return `LND uses a different certificate than --lnd-cert; copy its current tls.cert (${details})`;
  }
}

function clientFor(address: string, secured: ChannelCredentials, options: ClientOptions): Client {
  return new Client(address, secured, options);
}

/**
 * The name to check against the certificate. The certificate is pinned, so the check proves nothing more, but gRPC
 * requires it. If the certificate does not contain our host name, we check a name that it contains. LND always adds
 * `localhost`, and other names only for `tlsextraip` and `tlsextradomain`.
 */
export function nameOption(cert: string, address: string): ClientOptions {
  const certificate = new X509Certificate(cert);
  const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  // TLS server names cannot be IP addresses (RFC 6066).
  if (isIP(host) === 0 && certificate.checkHost(host) !== undefined) return {};
  const name = /DNS:([^,\s]+)/.exec(certificate.subjectAltName ?? '')?.[1];
  return name === undefined ? {} : { 'grpc.ssl_target_name_override': name };
}
