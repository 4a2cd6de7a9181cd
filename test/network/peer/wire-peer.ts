/** A peer on a real TCP connection that sends only what a test makes it send. */

import { connect, createServer, type Server, type Socket } from 'node:net';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import * as messages from '../../../src/bolt/peer/peer-messages.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { NoiseStream } from '../../../src/network/peer/noise-stream.ts';
import { OUR_FEATURES } from '../../../src/network/peer/our-features.ts';

export class WirePeer {
  readonly socket: Socket;
  readonly nodeId: NodeId;
  readonly received: Uint8Array[] = [];
  readonly closed: Promise<void>;
  /** Resolves when the handshake is complete. */
  readonly opened: Promise<void>;
  /** If set, it is called for every message, and messages are not kept. */
  onMessage: ((bytes: Uint8Array) => void) | undefined;
  private readonly stream: NoiseStream;

  constructor(socket: Socket, secretKey: Uint8Array, remoteId: NodeId | undefined) {
    this.socket = socket;
    this.nodeId = nodeIdFromBytes(curve.publicKey(secretKey));
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    let onOpened = (): void => undefined;
    this.opened = new Promise((resolve) => {
      onOpened = resolve;
    });
    this.stream = new NoiseStream(secretKey, remoteId, {
      write: (bytes) => void socket.write(bytes),
      opened: () => onOpened(),
      message: (bytes) => {
        if (this.onMessage === undefined) this.received.push(bytes);
        else this.onMessage(bytes);
      },
    });
    socket.on('data', (chunk) => this.stream.receive(chunk));
  }

  /** Connects. Resolves after the handshake. */
  static async dial(remoteId: NodeId, port: number, secretKey = randomSecretKey()): Promise<WirePeer> {
    const socket = connect({ host: '127.0.0.1', port });
    const peer = new WirePeer(socket, secretKey, remoteId);
    socket.once('connect', () => peer.start());
    await peer.opened;
    return peer;
  }

  /** Accepts connections. */
  static async listen(
    secretKey: Uint8Array,
    accepted: (peer: WirePeer) => void,
  ): Promise<{ server: Server; port: number }> {
    const server = createServer((socket) => accepted(new WirePeer(socket, secretKey, undefined)));
    await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    return { server, port: (server.address() as { port: number }).port };
  }

  /** Starts the handshake. */
  start(): void {
    this.stream.start();
  }

  send(bytes: Uint8Array): void {
    this.stream.send(bytes);
  }

  sendInit(chainHash: Uint8Array, given: Partial<messages.Init> = {}): void {
    this.send(
      messages.encodeInit({
        features: OUR_FEATURES,
        networks: [chainHash],
        remoteAddress: undefined,
        ...given,
      }),
    );
  }

  /** Texts of the received warnings. */
  get warnings(): string[] {
    return this.received
      .filter((bytes) => messages.messageType(bytes) === messages.WARNING_TYPE)
      .map((bytes) => Buffer.from(messages.decodeComplaint(bytes).data).toString());
  }
}
