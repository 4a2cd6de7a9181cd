/**
 * One connection to a peer: TCP, handshake (BOLT 8), `init`, pings and pongs (BOLT 1). All other messages go to the
 * owner of the connection, which is notified of its end exactly once.
 *
 * Slow peers are disconnected: when the handshake and init together take too long, when the peer is silent and does not
 * answer a ping, and when it stops reading.
 */

import type { Socket } from 'node:net';
import { equalBytes } from '../../bolt/bytes.ts';
import { unknownRequiredFeature } from '../../bolt/peer/features.ts';
import {
  decodeComplaint,
  decodeInit,
  decodePing,
  decodePong,
  ERROR_TYPE,
  encodeInit,
  encodePing,
  encodeWarning,
  INIT_TYPE,
  messageType,
  PING_TYPE,
  PONG_TYPE,
  pongFor,
  WARNING_TYPE,
} from '../../bolt/peer/peer-messages.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { NodeId } from '../../model/node-id.ts';
import { TokenBucket } from '../../model/token-bucket.ts';
import { formatHostPort } from './address.ts';
import {
  MAX_UNSENT_BYTES,
  type PeerTiming,
  PING_BURST,
  PINGS_PER_SECOND,
  SMALL_PONG_BYTES,
} from './limits.ts';
import { NoiseStream } from './noise-stream.ts';
import { UNDERSTOOD_FEATURES } from './our-features.ts';

/** Our key, features and chain, and the timeouts for the peer. */
export interface ConnectionOptions {
  readonly secretKey: Uint8Array;
  readonly features: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly timing: PeerTiming;
}

/** Callbacks for the owner of a connection. */
export interface ConnectionEvents {
  /** The first act of an inbound handshake has arrived. BOLT 8 divides the handshake into three acts. */
  greeted(connection: PeerConnection): void;
  /** Both sides have sent init and accept each other's features. */
  ready(connection: PeerConnection): void;
  /** A message that is not about the connection itself. */
  message(connection: PeerConnection, type: number, bytes: Uint8Array): void;
  /** The peer sent a warning or an error. Its text is untrusted. */
  complaint(connection: PeerConnection, isError: boolean, text: string): void;
  closed(connection: PeerConnection, reason: string): void;
}

/** Number of bytes that we request in the pong. Our pings carry no bytes either. */
const PONG_BYTES = 0;
const MAX_COMPLAINT_TEXT = 500;

/** One connection to a peer, in either direction. */
export class PeerConnection {
  /** Whether we connected to the peer. */
  readonly isOutgoing: boolean;
  /** The peer's address, `host:port`. */
  readonly address: string;
  /** The peer's IP address. */
  readonly host: string;
  /** Whether the operator configured this peer. If so, we trust it. */
  isTrusted = false;
  /** When the peer was last useful to us, in milliseconds (`performance.now()`). */
  usefulAt = performance.now();
  private readonly socket: Socket;
  private readonly options: ConnectionOptions;
  private readonly events: ConnectionEvents;
  private readonly stream: NoiseStream;
  private readonly pings = new TokenBucket(PING_BURST, PINGS_PER_SECOND);
  private handshakeTimer: NodeJS.Timeout | undefined;
  private pingTimer: NodeJS.Timeout | undefined;
  private remoteId: NodeId | undefined;
  private remoteFeatures: Uint8Array = new Uint8Array(0);
  private hasGreeted = false;
  private initReceived = false;
  private awaitsPong = false;
  private ended = false;

  /**
   * Takes ownership of a connected socket.
   * @param remoteId the node that we connected to; undefined for inbound connections.
   */
  constructor(
    socket: Socket,
    remoteId: NodeId | undefined,
    options: ConnectionOptions,
    events: ConnectionEvents,
  ) {
    this.socket = socket;
    this.options = options;
    this.events = events;
    this.isOutgoing = remoteId !== undefined;
    this.host = socket.remoteAddress ?? 'unknown';
    this.address = formatHostPort({ host: this.host, port: socket.remotePort ?? 0 });
    this.stream = new NoiseStream(options.secretKey, remoteId, {
      write: (bytes) => this.write(bytes),
      opened: (id) => this.onOpened(id),
      message: (bytes) => this.onBytes(bytes),
    });
  }

  /** Starts reading and begins the handshake. */
  start(): void {
    const { socket } = this;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.onData(chunk));
    socket.on('error', (error) => this.close(`connection error: ${error.message}`));
    socket.on('close', () => this.close('the peer closed the connection'));
    const { handshakeMs } = this.options.timing;
    this.handshakeTimer = setTimeout(() => this.close('the handshake and init took too long'), handshakeMs);
    this.stream.start();
  }

  /** The node id proven in the handshake. @throws WireError before the handshake is complete. */
  get nodeId(): NodeId {
    if (this.remoteId === undefined) throw new WireError('fields', 'the peer has not proven its id');
    return this.remoteId;
  }

  /** The peer's feature bits, from its init. */
  get features(): Uint8Array {
    return this.remoteFeatures;
  }

  get isReady(): boolean {
    return this.initReceived && !this.ended;
  }

  /** Sends a message. Does nothing once the connection has ended. */
  send(message: Uint8Array): void {
    if (!this.ended) this.stream.send(message);
  }

  /** Ends the connection. After the handshake, the peer is first sent the reason as a warning. */
  refuse(reason: string): void {
    if (this.remoteId !== undefined) this.send(encodeWarning(reason));
    this.close(reason);
  }

  /** Records that the peer was useful just now. */
  markUseful(): void {
    this.usefulAt = performance.now();
  }

  /** Stops or resumes reading from the peer. */
  setPaused(paused: boolean): void {
    if (this.ended) return;
    if (paused) this.socket.pause();
    else this.socket.resume();
  }

  /** Ends the connection. Messages already sent are still delivered if the peer reads them soon. */
  close(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.handshakeTimer);
    clearTimeout(this.pingTimer);
    this.stream.end();
    this.socket.end();
    this.socket.destroySoon();
    // A peer that never reads would otherwise keep the socket open forever.
    setTimeout(() => this.socket.destroy(), 1000).unref();
    this.events.closed(this, reason);
  }

  private onData(chunk: Buffer): void {
    if (this.ended) return;
    try {
      this.stream.receive(chunk);
      if (!this.isOutgoing && !this.hasGreeted && !this.ended && this.stream.hasSpoken) {
        this.hasGreeted = true;
        this.events.greeted(this);
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.close(`the peer violated the protocol: ${error.message}`);
    }
  }

  private write(bytes: Uint8Array): void {
    this.socket.write(bytes);
    if (this.socket.writableLength > MAX_UNSENT_BYTES)
      this.close('the peer does not read from the connection');
  }

  private onOpened(remoteId: NodeId): void {
    this.remoteId = remoteId;
    const { features, chainHash } = this.options;
    this.send(encodeInit({ features, networks: [chainHash], remoteAddress: undefined }));
  }

  /** Processes bytes from the peer. A malformed message ends the connection, and the peer gets the reason. */
  private onBytes(bytes: Uint8Array): void {
    try {
      this.onMessage(bytes);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.refuse(`malformed message: ${error.message}`);
    }
  }

  private onMessage(bytes: Uint8Array): void {
    this.schedulePing();
    const type = messageType(bytes);
    if (!this.initReceived) {
      this.onFirstMessage(type, bytes);
      return;
    }
    if (type === PING_TYPE) this.onPing(bytes);
    else if (type === PONG_TYPE) this.onPong(bytes);
    else if (type === WARNING_TYPE || type === ERROR_TYPE) this.onComplaint(bytes);
    else if (type === INIT_TYPE) return;
    else this.events.message(this, type, bytes);
  }

  /** Expects init as the first message. Before init, unknown messages of odd type are ignored, as BOLT 1 allows. */
  private onFirstMessage(type: number, bytes: Uint8Array): void {
    if (type === WARNING_TYPE || type === ERROR_TYPE) {
      this.onComplaint(bytes);
      return;
    }
    if (type !== INIT_TYPE) {
      if (type % 2 === 0) this.refuse(`message ${type} before init`);
      return;
    }
    const init = decodeInit(bytes);
    const unknown = unknownRequiredFeature(init.features, UNDERSTOOD_FEATURES);
    if (unknown !== undefined) {
      this.refuse(`required feature ${unknown} is unknown to us`);
      return;
    }
    const { chainHash } = this.options;
    if (init.networks !== undefined && !init.networks.some((hash) => equalBytes(hash, chainHash))) {
      this.refuse('no common network');
      return;
    }
    clearTimeout(this.handshakeTimer);
    this.initReceived = true;
    this.remoteFeatures = init.features.slice();
    this.events.ready(this);
  }

  private onPing(bytes: Uint8Array): void {
    const ping = decodePing(bytes);
    const pong = pongFor(ping);
    if (ping.pongBytes > SMALL_PONG_BYTES && !this.pings.take()) this.refuse('too many pings');
    else if (pong !== undefined) this.send(pong);
  }

  /** An unsolicited pong is harmless. A pong of the wrong length does not answer our ping. */
  private onPong(bytes: Uint8Array): void {
    if (decodePong(bytes) === PONG_BYTES) this.awaitsPong = false;
  }

  private onComplaint(bytes: Uint8Array): void {
    const { isError, data } = decodeComplaint(bytes);
    const text = Buffer.from(data.subarray(0, MAX_COMPLAINT_TEXT)).toString('utf8');
    this.events.complaint(this, isError, text);
    // We have no channels of our own, so an error can only be about the connection.
    if (isError) this.close('the peer sent an error');
  }

  /**
   * Starts the timer for the next ping. Any message shows that the peer is alive. If none arrives in time, a ping is
   * sent, and its pong has a separate timer.
   */
  private schedulePing(): void {
    if (this.awaitsPong || this.ended) return;
    clearTimeout(this.pingTimer);
    const { pingAfterMs, pongWithinMs } = this.options.timing;
    this.pingTimer = setTimeout(
      () => {
        this.awaitsPong = true;
        this.send(encodePing({ pongBytes: PONG_BYTES, ignoredBytes: 0 }));
        this.pingTimer = setTimeout(() => this.onPongDue(), pongWithinMs);
      },
      pingAfterMs * (0.75 + Math.random() / 2),
    );
  }

  private onPongDue(): void {
    if (this.awaitsPong) this.close('no pong in time');
    else this.schedulePing();
  }
}
