/**
 * The connection to NATS, the wire between the machines of a fleet. Nothing is kept there: what is lost is asked again,
 * or searched at home. The client is loaded only when a bus is asked for.
 */
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';

export type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';

/** The bus cannot be used. The message says why. */
export class BusError extends Error {
  /** Whether it may go away by itself: the server is down, and not the login wrong or the client missing. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}

/**
 * A link that was cut without a word is noticed after three pings without an answer, and a connection is tried anew
 * every quarter of a second, each for at most a second.
 */
const PATIENCE = {
  pingInterval: 1000,
  maxPingOut: 2,
  timeout: 1000,
  reconnectTimeWait: 250,
  reconnectJitter: 100,
  maxReconnectAttempts: -1,
  // Else the client takes two traces of the stack for each request.
  noAsyncTraces: true,
} as const satisfies ConnectionOptions;

/**
 * Connects to a NATS server. The connection repairs itself.
 * @param url `nats://[USER:PASSWORD@]HOST[:PORT]`, or `tls://…`
 * @param name how the server lists this connection
 * @throws BusError when the client is not installed, or the server does not answer
 */
export async function connectBus(url: string, name: string): Promise<NatsConnection> {
  const { connect } = await import('@nats-io/transport-node').catch((error: Error) => {
    throw new BusError(`--bus needs the package @nats-io/transport-node: ${error.message}`);
  });
  try {
    return await connect({ ...PATIENCE, ...addressOf(url), name });
  } catch (error) {
    const { name, message } = error as Error;
    const mayPass = name !== 'AuthorizationError';
    throw new BusError(`the bus at ${withoutLogin(url)} does not answer: ${message}`, mayPass);
  }
}

/** Whether the text is the address of a bus. */
export function isBusUrl(text: string): boolean {
  return (
    URL.canParse(text) && ['nats:', 'tls:'].includes(new URL(text).protocol) && new URL(text).host !== ''
  );
}

/** The address without user and password, which may be shown. */
export function withoutLogin(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

function addressOf(url: string): ConnectionOptions {
  const { protocol, hostname, port, username, password } = new URL(url);
  return {
    servers: `${hostname}:${port === '' ? 4222 : port}`,
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' && { tls: {} }),
  };
}
