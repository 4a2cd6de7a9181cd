/**
 * One connection as bytes: the handshake and then frames (BOLT 8), as a state machine without sockets or time.
 *
 *     initiator   sends act one     awaits act two (50)    sends act three   frames
 *     responder   awaits act one (50) sends act two        awaits act three (66)  frames
 *     frames      awaits head (18)  awaits message (length + 16)  ...
 *
 * The stream always waits for a known number of bytes, at most 65551. It collects them in one buffer of that size,
 * however small the pieces in which they arrive. The first error ends the stream: `receive` then throws `WireError`,
 * and keeps throwing.
 */

import {
  ACT_ONE_BYTES,
  ACT_THREE_BYTES,
  ACT_TWO_BYTES,
  NoiseInitiator,
  NoiseResponder,
  randomSecretKey,
  type TransportKeys,
} from '../../bolt/crypto/noise.ts';
import { FRAME_HEAD_BYTES, FRAME_TAG_BYTES, Transport } from '../../bolt/peer/transport.ts';
import { WireError } from '../../bolt/wire-error.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../model/node-id.ts';

/** Callbacks for the owner of a stream. */
export interface NoiseStreamEvents {
  /** Bytes for the peer. */
  write(bytes: Uint8Array): void;
  /** The handshake is complete. The id is proven. */
  opened(remoteId: NodeId): void;
  /** One message. The bytes are a view that stays valid after the call. */
  message(bytes: Uint8Array): void;
}

type Phase = 'actOne' | 'actTwo' | 'actThree' | 'head' | 'body' | 'ended';

/** The encrypted stream of one connection. It converts bytes, and does no I/O itself. */
export class NoiseStream {
  private readonly events: NoiseStreamEvents;
  private readonly remoteId: NodeId | undefined;
  private readonly initiator: NoiseInitiator | undefined;
  private readonly secretKey: Uint8Array;
  private readonly ephemeralKey: Uint8Array;
  private responder: NoiseResponder | undefined;
  private transport: Transport | undefined;
  private phase: Phase;
  private needed: number;
  /** The first part of the expected bytes, when the rest has not arrived yet. */
  private begun: Uint8Array | undefined;
  private held = 0;

  /**
   * @param remoteId the node that we connect to; undefined when someone connected to us.
   * @param ephemeralKey fresh and random. Only tests that must reproduce bytes reuse one.
   * @throws WireError when the remote id is not a point on the curve.
   */
  constructor(
    secretKey: Uint8Array,
    remoteId: NodeId | undefined,
    events: NoiseStreamEvents,
    ephemeralKey = randomSecretKey(),
  ) {
    this.events = events;
    this.remoteId = remoteId;
    this.secretKey = secretKey;
    this.ephemeralKey = ephemeralKey;
    if (remoteId === undefined) {
      this.phase = 'actOne';
      this.needed = ACT_ONE_BYTES;
    } else {
      this.initiator = new NoiseInitiator(secretKey, nodeIdToBytes(remoteId), ephemeralKey);
      this.phase = 'actTwo';
      this.needed = ACT_TWO_BYTES;
    }
  }

  /** Sends the first act, if we are the initiator. */
  start(): void {
    if (this.initiator !== undefined) this.events.write(this.initiator.actOne());
  }

  /** Encrypts and writes a message. @throws WireError before the handshake is complete or when too long. */
  send(message: Uint8Array): void {
    if (this.transport === undefined || !this.isOpen) {
      throw new WireError('fields', 'the connection is not open');
    }
    this.events.write(this.transport.seal(message));
  }

  /**
   * Processes bytes from the peer and calls back for each completed message. The chunk itself is not kept.
   * @throws WireError, after which the connection must be closed
   */
  receive(chunk: Uint8Array): void {
    if (!this.isOpen) throw new WireError('fields', 'the connection has ended');
    try {
      let rest = chunk;
      while (this.isOpen && rest.length > 0) {
        const piece = rest.subarray(0, this.needed - this.held);
        rest = rest.subarray(piece.length);
        const whole = this.completed(piece);
        if (whole !== undefined) this.advance(whole);
      }
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Ends the stream. Afterwards, nothing is sent, received or kept. */
  end(): void {
    this.phase = 'ended';
    this.begun = undefined;
    this.held = 0;
  }

  /** Whether the peer's first act has arrived and is valid. */
  get hasSpoken(): boolean {
    return this.phase !== 'actOne' && this.phase !== 'actTwo';
  }

  private get isOpen(): boolean {
    return this.phase !== 'ended';
  }

  private advance(bytes: Uint8Array): void {
    if (this.phase === 'actOne') {
      // Created only now, because it costs a multiplication, and many peers that connect never send anything.
      this.responder = new NoiseResponder(this.secretKey, this.ephemeralKey);
      this.events.write(this.responder.actOne(bytes));
      this.expect('actThree', ACT_THREE_BYTES);
    } else if (this.phase === 'actTwo') {
      const { actThree, keys } = this.initiator!.actTwo(bytes);
      this.events.write(actThree);
      this.open(keys, this.remoteId!);
    } else if (this.phase === 'actThree') {
      const { initiatorId, keys } = this.responder!.actThree(bytes);
      this.open(keys, nodeIdFromBytes(initiatorId));
    } else if (this.phase === 'head') {
      this.expect('body', this.transport!.openLength(bytes) + FRAME_TAG_BYTES);
    } else {
      this.expect('head', FRAME_HEAD_BYTES);
      this.events.message(this.transport!.openMessage(bytes));
    }
  }

  private open(keys: TransportKeys, remoteId: NodeId): void {
    this.transport = new Transport(keys);
    this.expect('head', FRAME_HEAD_BYTES);
    this.events.opened(remoteId);
  }

  private expect(phase: Phase, needed: number): void {
    this.phase = phase;
    this.needed = needed;
  }

  /** Adds a piece to the expected bytes. @returns all of them once they are complete; otherwise undefined */
  private completed(piece: Uint8Array): Uint8Array | undefined {
    if (this.begun === undefined && piece.length === this.needed) return piece;
    this.begun ??= new Uint8Array(this.needed);
    this.begun.set(piece, this.held);
    this.held += piece.length;
    if (this.held < this.needed) return undefined;
    const whole = this.begun;
    this.begun = undefined;
    this.held = 0;
    return whole;
  }
}
