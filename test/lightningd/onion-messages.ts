/**
 * Onion messages at the node (`lightningd/onion_message.c`). The node opens the messages addressed to it and shows
 * their content to its plugins' hooks. It sends the messages that a plugin injects.
 */
import { toHex } from '../../src/bolt/bytes.ts';
import {
  type MessageContent,
  type OnionMessage,
  receiveOnionMessage,
} from '../../src/bolt/onion/onion-message.ts';
import { WireError } from '../../src/bolt/wire-error.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import type { Simulation } from '../../src/network/simulated/index.ts';
import { CODE, Refusal } from './refusal.ts';

const MAX_MESSAGE_BYTES = 65_535;
const SECRET_BYTES = 32;
/** Maximum time on the network's clock for a message and its reply, in milliseconds. */
const THERE_AND_BACK_MS = 5_000;

/** Shows the content of a message to the plugins. */
export type CallHook = (name: 'onion_message_recv' | 'onion_message_recv_secret', payload: object) => void;

/** The node's handling of onion messages. */
export class OnionMessages {
  readonly #simulation: Simulation;
  readonly #secretKey: Uint8Array;
  readonly #nodeId: NodeId;
  readonly #callHook: CallHook;

  constructor(simulation: Simulation, secretKey: Uint8Array, callHook: CallHook) {
    this.#simulation = simulation;
    this.#secretKey = secretKey;
    this.#nodeId = simulation.identity.nodeId;
    this.#callHook = callHook;
    simulation.onOnionMessage = (_from, message) => this.#receive(message);
  }

  /** Handles `injectonionmessage`. @throws Refusal */
  inject(pathKey: string, message: string): object {
    if (message.length > 2 * MAX_MESSAGE_BYTES) {
      throw new Refusal(CODE.invalidParams, 'onion message too long');
    }
    const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
    const onion: OnionMessage = { pathKey: bytes(pathKey), packet: bytes(message) };
    const received = this.#open(onion);
    if (received === undefined) throw new Refusal(CODE.lightningd, 'onion msg: onion_message_parse failed');
    if (received.kind === 'content') {
      setImmediate(() => this.#show(received.content, received.pathId));
      return {};
    }
    const { nextNode, message: next } = received;
    if (typeof nextNode === 'bigint') throw new Refusal(CODE.lightningd, 'onion msg: unknown next scid');
    const peer = nodeIdFromBytes(nextNode);
    if (!this.#simulation.isPeer(peer)) {
      throw new Refusal(CODE.lightningd, `onion msg: unknown next peer ${peer}`);
    }
    this.#simulation.sendOnionMessage(peer, next);
    // No HTLC advances the network's time here, so it is advanced explicitly.
    setImmediate(() => this.#simulation.advanceTo(this.#simulation.nowMs + THERE_AND_BACK_MS));
    return {};
  }

  #receive(message: OnionMessage): void {
    const received = this.#open(message);
    if (received?.kind === 'content') this.#show(received.content, received.pathId);
  }

  /** A message as the node decrypts it. Undefined if the node cannot read the message. */
  #open(message: OnionMessage) {
    try {
      return receiveOnionMessage(message, this.#secretKey, nodeIdToBytes(this.#nodeId));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return undefined;
    }
  }

  /** A path secret that is not 32 bytes long is treated as absent. */
  #show(content: MessageContent, pathId: Uint8Array | undefined): void {
    const { replyPath, invoiceRequest, invoice, invoiceError, unknownRecords = [] } = content;
    const hex = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);
    const secret = pathId?.length === SECRET_BYTES ? toHex(pathId) : undefined;
    const onion_message = {
      pathsecret: secret,
      reply_blindedpath: replyPath && {
        ...(replyPath.firstNode instanceof Uint8Array
          ? { first_node_id: toHex(replyPath.firstNode) }
          : {
              first_scid: formatShortChannelId(replyPath.firstNode.shortChannelId),
              first_scid_dir: replyPath.firstNode.direction,
            }),
        first_path_key: toHex(replyPath.firstPathKey),
        hops: replyPath.hops.map(({ blindedNodeId, encryptedRecipientData }) => ({
          blinded_node_id: toHex(blindedNodeId),
          encrypted_recipient_data: toHex(encryptedRecipientData),
        })),
      },
      invoice_request: hex(invoiceRequest),
      invoice: hex(invoice),
      invoice_error: hex(invoiceError),
      unknown_fields: unknownRecords.map(({ type, value }) => ({ number: type, value: toHex(value) })),
    };
    this.#callHook(secret === undefined ? 'onion_message_recv' : 'onion_message_recv_secret', {
      onion_message,
    });
  }
}
