/**
 * Onion messages at LND (since 0.21). LND delivers incoming messages unchanged, with the encrypted data for its own
 * layer, which it does not decrypt. It sends outgoing messages to the given peer.
 */
import { blindedSecretKey, pathSecret } from '../../src/bolt/onion/blinded-path.ts';
import type { OnionMessage } from '../../src/bolt/onion/onion-message.ts';
import { peelOnion } from '../../src/bolt/onion/sphinx.ts';
import { decodeTlvStream } from '../../src/bolt/tlv.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { STATUS } from '../../src/network/lnd/client/calls.ts';
import type { Simulation } from '../../src/network/simulated/index.ts';
import type { StreamEnd } from './grpc-door.ts';
import { LndRefusal } from './refusal.ts';

const ENCRYPTED_DATA_TYPE = 4n;
const FIRST_FINAL_TYPE = 64n;
const POINT_BYTES = 33;
/** Maximum time on the network's clock for a message and its reply, in milliseconds. */
const THERE_AND_BACK_MS = 5_000;

/** LND's handling of onion messages. */
export class MessageBox {
  readonly #simulation: Simulation;
  readonly #secretKey: Uint8Array;
  readonly #subscribers = new Set<StreamEnd>();

  constructor(simulation: Simulation, secretKey: Uint8Array) {
    this.#simulation = simulation;
    this.#secretKey = secretKey;
    simulation.onOnionMessage = (from, message) => this.#receive(nodeIdToBytes(from), message);
  }

  get subscribers(): number {
    return this.#subscribers.size;
  }

  subscribe(caller: StreamEnd): void {
    this.#subscribers.add(caller);
    caller.onGone(() => this.#subscribers.delete(caller));
  }

  /** Handles `SendOnionMessage`. @throws LndRefusal */
  send({ peer, path_key, onion }: { peer: Uint8Array; path_key: Uint8Array; onion: Uint8Array }): object {
    if (path_key.length !== POINT_BYTES) {
      throw new LndRefusal(
        STATUS.unknown,
        `unable to decode path key bytes: malformed public key: invalid length: ${path_key.length}`,
      );
    }
    const to = nodeIdFromBytes(Uint8Array.from(peer));
    if (!this.#simulation.isPeer(to)) throw new LndRefusal(STATUS.notFound, 'peer is not connected');
    this.#simulation.sendOnionMessage(to, {
      pathKey: Uint8Array.from(path_key),
      packet: Uint8Array.from(onion),
    });
    setImmediate(() => this.#simulation.advanceTo(this.#simulation.nowMs + THERE_AND_BACK_MS));
    return { status: 'onion message sent successfully' };
  }

  forget(): void {
    this.#subscribers.clear();
  }

  #receive(peer: Uint8Array, { pathKey, packet }: OnionMessage): void {
    const secret = pathSecret(this.#secretKey, pathKey);
    const { payload } = peelOnion(packet, blindedSecretKey(this.#secretKey, secret), undefined);
    const records = decodeTlvStream(payload);
    const update = {
      peer,
      encrypted_recipient_data: records.find(({ type }) => type === ENCRYPTED_DATA_TYPE)?.value,
      custom_records: Object.fromEntries(
        records
          .filter(({ type }) => type >= FIRST_FINAL_TYPE)
          .map(({ type, value }) => [String(type), value]),
      ),
    };
    for (const subscriber of this.#subscribers) subscriber.write(update);
  }
}
