/**
 * A socket to a PostgreSQL server, encrypted if the address requires it (PostgreSQL, protocol-flow, "SSL Session
 * Encryption").
 *
 * The client library can encrypt by itself, but then hides the encrypted socket. Destroying the plain socket below it
 * closes the file descriptor while the library still writes its final message, which ends the process with an uncaught
 * `write EBADF`. So the socket is encrypted here, before the library gets it, and abandoning a connection destroys the
 * outer socket.
 */
import { readFile } from 'node:fs/promises';
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as encrypt } from 'node:tls';
import type { PostgresAddress, PostgresHost } from './address.ts';
import { storeFailed } from './refusal.ts';

/** Length 8 and the code of SSLRequest, 1234.5679 (PostgreSQL, protocol-message-formats). */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** The answer of a server that supports encryption. */
const YES = 'S'.charCodeAt(0);

/** One attempt to connect to a host, which can be abandoned at any time. */
export class Dial {
  readonly #address: PostgresAddress;
  readonly #place: PostgresHost;
  #socket: Socket | undefined;
  #isOver = false;

  constructor(address: PostgresAddress, place: PostgresHost) {
    this.#address = address;
    this.#place = place;
  }

  /**
   * The socket, ready for the first message of a session. An unencrypted socket may still be connecting.
   * @throws Error when the host does not encrypt, fails verification, or cannot be reached.
   */
  async open(): Promise<Socket> {
    const security = await this.#security();
    if (this.#isOver) throw storeFailed('the connection attempt was abandoned');
    const { host, port } = this.#place;
    const plain = connect({ host, port, noDelay: true });
    this.#socket = plain;
    if (security === undefined) return plain;
    plain.write(SSL_REQUEST);
    const answer = await next<Buffer>(plain, 'data');
    // Bytes after the answer would be treated as if they had been encrypted (CVE-2021-23222).
    if (answer.length !== 1 || answer[0] !== YES) {
      plain.destroy();
      throw storeFailed(`the server ${host} does not encrypt connections`);
    }
    const encrypted = encrypt({ ...security, socket: plain });
    this.#socket = encrypted;
    await next(encrypted, 'secureConnect');
    return encrypted;
  }

  /** Closes the socket immediately, without a final message. Pending `open` calls fail. */
  destroy(): void {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  async #security(): Promise<ConnectionOptions | undefined> {
    const { sslMode, sslRootCert } = this.#address;
    const { host } = this.#place;
    if (sslMode === 'disable') return undefined;
    // As in libpq, the certificate is always checked if an authority is given.
    const isChecked = sslMode !== 'require' || sslRootCert !== undefined;
    return {
      rejectUnauthorized: isChecked,
      ...(sslRootCert !== undefined && { ca: await readFile(sslRootCert) }),
      // For a server addressed by IP, the certificate is compared with `host`, and no ServerName is sent.
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    };
  }
}

/** The value of a socket's next event of this kind. @throws Error when the socket fails or closes first */
function next<T>(socket: Socket, event: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const closed = (): void => fail(storeFailed('the server closed the connection'));
    const done = (value: T): void => {
      settle();
      resolve(value);
    };
    const fail = (error: Error): void => {
      settle();
      // A second failure of the socket must not end the process.
      socket.on('error', () => undefined);
      reject(error);
    };
    const settle = (): void => {
      socket.off(event, done).off('error', fail).off('close', closed);
    };
    socket.once(event, done).once('error', fail).once('close', closed);
  });
}
