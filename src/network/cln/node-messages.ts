/**
 * Onion messages under the node's own id, when we run as its plugin. The node decrypts the messages that it receives,
 * its hook passes their contents to us, and `injectonionmessage` sends our messages. So fetching an invoice needs no
 * connection or identity of our own.
 *
 *     we ──injectonionmessage──▶ node ──▶ peer ··· issuer
 *     we ◀──lines of input── plugin ◀──hook onion_message_recv_secret── node ◀── peer
 *
 * The hook passes every message on, so the node's own `offers` misses none. Anyone can build a path to the node with
 * any secret in it, so a reply counts only with a secret that we just made (see `OnionMessenger`).
 */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHex } from '../../bolt/bytes.ts';
import type { TlvRecord } from '../../bolt/tlv.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { TokenBucket } from '../../model/token-bucket.ts';
import { JsonSyntaxError } from '../../rpc/json-scan.ts';
import { parseJson } from '../../rpc/json-token.ts';
import type { Log } from '../../rpc/log.ts';
import { type IncomingListener, onionAlong } from '../onion-message-end.ts';
import type { IncomingOnionMessage, OutgoingOnionMessage } from '../port.ts';
import { Members, NodeError } from './answer.ts';
import type { NodeLink } from './node-link.ts';

/**
 * Maximum number of characters in one message. An onion message has at most 64 KiB, and its contents are encoded as
 * hex.
 */
const MAX_LINE = 256 * 1024;
/**
 * Nodes drop a peer's messages beyond four at once and four per second. The node sends its own messages to the same
 * peers without waiting, so we use only part of this allowance.
 */
const BURST = 1;
const PER_SECOND = 2;
/** Maximum number of queued messages per peer. */
const MAX_WAITING = 100;
/** Maximum number of peers whose rate is tracked. Beyond it, the peer unused for longest is forgotten. */
const MAX_PEERS = 1_000;

/** Dependencies of `NodeMessages`. */
export interface NodeMessagesOptions {
  readonly link: NodeLink;
  /** Receives one line of JSON for each message that reached the node over a path with a secret. */
  readonly input: Readable;
  readonly log: Log;
}

interface Pace {
  readonly bucket: TokenBucket;
  waiting: number;
}

/** Sends and receives under the node's id. */
export class NodeMessages {
  readonly #options: NodeMessagesOptions;
  readonly #listeners = new Set<IncomingListener>();
  readonly #paces = new Map<NodeId, Pace>();
  readonly #closing = new AbortController();
  readonly #take: (text: string) => void;
  #rest = '';

  constructor(options: NodeMessagesOptions) {
    this.#options = options;
    this.#take = (text) => this.#read(text);
    options.input.setEncoding('utf8');
    options.input.on('data', this.#take);
  }

  onOnionMessage(listener: IncomingListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Sends through the node, which processes the first layer of the onion.
   * @throws FulguriteError busy, notConnected, nodeAway, shuttingDown; WireError when the content is too long
   */
  async sendOnionMessage(outgoing: OutgoingOnionMessage): Promise<void> {
    const { link } = this.#options;
    const { nodeId } = link.facts;
    const { pathKey, packet } = onionAlong({ ...outgoing, route: [nodeId, ...outgoing.route] }, nodeId);
    const [first] = outgoing.route;
    if (first !== undefined) await this.#turn(first);
    try {
      await link.call('injectonionmessage', { path_key: toHex(pathKey), message: toHex(packet) });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw new FulguriteError('notConnected', `the node does not forward messages: ${error.message}`);
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    this.#options.input.off('data', this.#take);
    return Promise.resolve();
  }

  /** Waits until the peer accepts another message. @throws FulguriteError busy, shuttingDown */
  async #turn(peer: NodeId): Promise<void> {
    const pace = this.#paces.get(peer) ?? { bucket: new TokenBucket(BURST, PER_SECOND), waiting: 0 };
    this.#paces.delete(peer);
    this.#paces.set(peer, pace);
    if (this.#paces.size > MAX_PEERS) this.#paces.delete(this.#paces.keys().next().value!);
    if (pace.waiting >= MAX_WAITING) {
      throw new FulguriteError('busy', 'too many onion messages are queued for this peer');
    }
    pace.waiting++;
    try {
      while (!pace.bucket.take()) await this.#pause(pace.bucket.waitMs());
    } finally {
      pace.waiting--;
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) throw new FulguriteError('shuttingDown', 'the network is closed');
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) {
      const message = line.length < MAX_LINE ? this.#messageOf(line) : undefined;
      if (message !== undefined) for (const listener of this.#listeners) listener(message);
    }
  }

  #messageOf(line: string): IncomingOnionMessage | undefined {
    try {
      return messageOf(new Members(parseJson(line), 'onion_message'));
    } catch (error) {
      if (!(error instanceof JsonSyntaxError || error instanceof FulguriteError)) throw error;
      this.#options.log.unusual(`cannot parse an onion message from the node: ${error.message}`);
      return undefined;
    }
  }
}

/** The part of a message that can be a reply to us. Undefined for a message that came over a path without a secret. */
function messageOf(message: Members): IncomingOnionMessage | undefined {
  const pathId = message.bytes('pathsecret');
  if (pathId.length === 0) return undefined;
  const invoice = message.bytes('invoice');
  const invoiceError = message.bytes('invoice_error');
  return {
    content: {
      ...(invoice.length > 0 && { invoice }),
      ...(invoiceError.length > 0 && { invoiceError }),
      unknownRecords: message.objects('unknown_fields').flatMap(recordOf),
    },
    pathId,
    from: undefined,
  };
}

function recordOf(field: Members): TlvRecord[] {
  const type = field.whole('number');
  return type === undefined ? [] : [{ type, value: field.bytes('value') }];
}
