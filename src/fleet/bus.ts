/**
 * The connection to NATS, which connects the machines of a fleet. NATS stores nothing: a lost request is repeated or
 * searched locally. The client is loaded only if a bus is configured.
 */
import { isIPv6 } from 'node:net';
import type { Authenticator, ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { type BusAddress, encryptionOf, parseBusAddress, readBusFile } from './bus-address.ts';
import { BusError } from './bus-error.ts';

export type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';

type NatsClient = typeof import('@nats-io/transport-node');

/**
 * A broken link is detected after two unanswered pings. The client waits at least a quarter of a second between two
 * attempts to reconnect. An attempt lasts at most a second.
 */
const PATIENCE = {
  pingInterval: 1000,
  maxPingOut: 2,
  timeout: 1000,
  reconnectTimeWait: 250,
  reconnectJitter: 100,
  maxReconnectAttempts: -1,
  // Otherwise the client captures two stack traces per request.
  noAsyncTraces: true,
  // Only the servers in the address are used. Other servers that a server announces might not be local.
  ignoreClusterUpdates: true,
  // Daemons subscribe to the subjects on which they publish, and need none of their own messages.
  noEcho: true,
} as const satisfies ConnectionOptions;

/** The client's errors that last until an operator intervenes. */
const LASTING_ERRORS = ['AuthorizationError', 'UserAuthenticationExpiredError', 'InvalidArgumentError'];
/** Node.js error codes for a certificate that is invalid, or was issued for a different name. */
const CERTIFICATE_CODE = /^(ERR_TLS_|ERR_SSL_|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)/;

/** The client's message for a server that cannot encrypt. */
const NOT_ENCRYPTED = "does not support 'tls'";

/**
 * Connects to a NATS server. The connection reconnects on its own.
 * @param url the value of `--bus` (bus-address.ts)
 * @param name the server lists this connection by this name
 * @throws BusError when the address is malformed, one of its files cannot be read, the client is not installed, or
 *   the server does not answer, refuses the login or does not prove its name
 */
export async function connectBus(url: string, name: string): Promise<NatsConnection> {
  const address = parseBusAddress(url);
  const client = await import('@nats-io/transport-node').catch((error: Error) => {
    throw new BusError(`--bus needs the package @nats-io/transport-node: ${error.message}`);
  });
  const options = { ...PATIENCE, ...connectionOptions(client, address), name };
  try {
    return await client.connect(options);
  } catch (error) {
    throw new BusError(
      `the bus at ${address.shown} does not answer: ${(error as Error).message}`,
      mayPass(error as Error),
    );
  }
}

/** The address without login and files, safe to show. @throws BusError */
export function withoutLogin(url: string): string {
  return parseBusAddress(url).shown;
}

function connectionOptions(client: NatsClient, address: BusAddress): ConnectionOptions {
  const { hosts, login, files } = address;
  const tls = encryptionOf(address);
  const authenticator = authenticatorOf(client, files);
  return {
    servers: hosts.map(({ host, port }) => `${isIPv6(host) ? `[${host}]` : host}:${port}`),
    ...login,
    ...(authenticator && { authenticator }),
    // The client passes all members to Node.js, more than its type declares.
    ...(tls && { tls: tls as NonNullable<ConnectionOptions['tls']> }),
  };
}

function authenticatorOf(
  { nkeyAuthenticator, credsAuthenticator }: NatsClient,
  { nkey, creds }: BusAddress['files'],
): Authenticator | undefined {
  const file = nkey ?? creds;
  if (file === undefined) return undefined;
  const text = readBusFile(file);
  const bytes = (of: string): Uint8Array => new TextEncoder().encode(of);
  const authenticator =
    file === nkey ? nkeyAuthenticator(bytes(text.trim())) : credsAuthenticator(bytes(`${text.trim()}\n`));
  try {
    // With an unusable file, the client would wait forever, so we try the file first.
    authenticator('test');
  } catch {
    const wanted = file === nkey ? 'the seed of a user key (SU…)' : 'NATS credentials';
    throw new BusError(`the file ${file} of --bus does not contain ${wanted}`);
  }
  return authenticator;
}

function mayPass(error: Error): boolean {
  const codes = [error, error.cause].map((one) => (one as { readonly code?: unknown } | undefined)?.code);
  const isCertificate = codes.some((code) => typeof code === 'string' && CERTIFICATE_CODE.test(code));
  const isPlain = error.message.includes(NOT_ENCRYPTED);
  return !LASTING_ERRORS.includes(error.name) && !isCertificate && !isPlain;
}
