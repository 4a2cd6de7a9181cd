/**
 * One call over the UNIX socket: connects, sends, waits for the answer with the same id, and closes. Results and errors
 * are returned exactly as the server wrote them.
 */
import { connect } from 'node:net';
import { FulguriteError } from '../model/errors.ts';
import { Framer } from './framer.ts';
import { InputBudget } from './input-budget.ts';
import { JsonSyntaxError } from './json-scan.ts';
import { type JsonToken, parseJson } from './json-token.ts';

/** Maximum size of an answer in bytes: about the maximum length of a string. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024 - 1024;

/** Thrown when there is no response, because the connection was refused or lost, or the data is not valid JSON-RPC. */
export class TransportError extends Error {
  /** Whether the connection was refused, or the socket does not exist. */
  readonly isAbsent: boolean;

  constructor(message: string, isAbsent = false) {
    super(message);
    this.isAbsent = isAbsent;
  }
}

/** Thrown when the caller gave up waiting. The service may still execute the call. */
export class CallAborted extends Error {}

/** A call to make: the socket, the method, and its parameters. */
export interface SocketCall {
  readonly path: string;
  readonly method: string;
  /** JSON text of the params. */
  readonly params: string;
  /** JSON text of the filter. */
  readonly filter?: string | undefined;
  /** Called with the method and params of each notification. Notifications are requested only if this is given. */
  readonly onNotification?: ((method: string, params: JsonToken) => void) | undefined;
  /** Aborts the wait for the answer. */
  readonly abort?: AbortSignal | undefined;
}

/** An answer. Exactly one of the two members is present. */
export interface SocketAnswer {
  readonly result?: JsonToken;
  readonly error?: JsonToken;
}

/** Makes one call. @throws TransportError, CallAborted */
export function callOverSocket(call: SocketCall): Promise<SocketAnswer> {
  const id = JSON.stringify(`cli:${call.method}#${process.pid}`);
  const framer = new Framer(MAX_ANSWER_BYTES, new InputBudget(MAX_ANSWER_BYTES));
  return new Promise((resolve, reject) => {
    const socket = connect(call.path);
    const fail = (reason: string, isAbsent = false) => {
      socket.destroy();
      reject(new TransportError(reason, isAbsent));
    };
    const giveUp = () => {
      socket.destroy();
      reject(new CallAborted());
    };
    if (call.abort?.aborted) giveUp();
    call.abort?.addEventListener('abort', giveUp, { once: true });
    socket.on('connect', () => socket.write(requestText(call, id)));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(`Connecting to '${call.path}': ${reasonOf(error)}`, isAbsence(error)),
    );
    socket.on('close', () => {
      call.abort?.removeEventListener('abort', giveUp);
      fail('The service closed the connection without a response');
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        framer.push(chunk);
        const answer = readAnswers(framer, id, call.onNotification);
        if (answer === undefined) return;
        resolve(answer);
        socket.destroy();
      } catch (error) {
        if (!(error instanceof FulguriteError || error instanceof JsonSyntaxError)) throw error;
        fail(`Malformed response: ${error.message}`);
      }
    });
  });
}

const isAbsence = ({ code }: Pick<NodeJS.ErrnoException, 'code'>): boolean =>
  code === 'ENOENT' || code === 'ECONNREFUSED';

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'no such file; is the daemon running?';
  return code === 'ECONNREFUSED' ? 'connection refused; is the daemon running?' : message;
}

function requestText({ method, params, filter, onNotification }: SocketCall, id: string): string {
  const enable = `{"jsonrpc":"2.0","method":"notifications","id":"cli:notifications","params":{"enable":true}}`;
  const filterMember = filter === undefined ? '' : `"filter":${filter},`;
  const request = `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"id":${id},${filterMember}"params":${params}}`;
  return onNotification === undefined ? request : enable + request;
}

/** Looks for our answer in the received data, and passes on notifications. An error without an id is also for us. */
function readAnswers(framer: Framer, id: string, onNotification: SocketCall['onNotification']) {
  for (let bytes = framer.next(); bytes !== undefined; bytes = framer.next()) {
    const token = parseJson(bytes.toString('utf8'));
    const { id: answered, result, error, method, params } = membersOf(token);
    if (answered?.raw === id || (answered?.raw === 'null' && error !== undefined)) {
      if (error !== undefined) return { error };
      if (result !== undefined) return { result };
      throw new JsonSyntaxError('an answer with neither a result nor an error', 0);
    }
    if (answered === undefined && method !== undefined && params !== undefined) {
      onNotification?.(method.text, params);
    }
  }
  return undefined;
}

/** The members of an object by name. If a name is repeated, its first member counts. */
export function membersOf(token: JsonToken): Readonly<Record<string, JsonToken | undefined>> {
  const members: Record<string, JsonToken> = Object.create(null);
  for (const { key, value } of token.members()) members[key] ??= value;
  return members;
}
