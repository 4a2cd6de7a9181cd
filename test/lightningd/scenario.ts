/**
 * One scenario for a real node and for its stand-in: the same calls must get the same answers. A call is
 * compared by its error, or by the members of its result and their types. Values that the scenario determines
 * are compared too.
 *
 *     asker ── node ── next ── recipient        the node has one channel to `next`
 *
 * Ids, times, heights, hashes and amounts in channels differ between two networks. `#masked` replaces them by
 * their types.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHex } from '../../src/bolt/bytes.ts';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import { encodePayload, type HopPayload } from '../../src/bolt/onion/payload.ts';
import { createOnion } from '../../src/bolt/onion/sphinx.ts';
import { msat } from '../../src/model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../src/model/node-id.ts';
import { parseShortChannelId } from '../../src/model/short-channel-id.ts';
import { type Members, NodeError } from '../../src/network/cln/answer.ts';
import { NodeSocket } from '../../src/network/cln/node-socket.ts';

/** The network around the node. */
export interface ScenarioNetwork {
  readonly socketPath: string;
  readonly ownId: string;
  /** The node's peer, the channel to it, the node behind that peer, and the channel between those two. */
  readonly next: string;
  readonly ours: string;
  readonly recipient: string;
  readonly beyond: string;
  /** The fee of `next` for forwarding 5,000 msat, and its CLTV delta. */
  readonly feeMsat: bigint;
  readonly delay: number;
  readonly height: () => Promise<number>;
}

/** Recorded answers of a real node. */
export const RECORDING = new URL('scenario-v26.06.json', import.meta.url).pathname;

/** The result of one call: the step's name and the masked answer. */
export type Step = readonly [string, unknown];

const AMOUNT = 5_000n;
/** Number of blocks until the last HTLC expires. */
const FINAL_BLOCKS = 30;

interface Part {
  readonly hash: string;
  readonly onion: string;
  readonly firstHop: object;
}

/** Makes all calls of the scenario, in order. */
export class Scenario {
  readonly #network: ScenarioNetwork;
  readonly #steps: Step[] = [];

  constructor(network: ScenarioNetwork) {
    this.#network = network;
  }

  async run(): Promise<Step[]> {
    await this.#malformed();
    await this.#questions();
    await this.#datastore();
    await this.#paid();
    await this.#failed();
    await this.#refused();
    return this.#steps;
  }

  // ---------------------------------------------------------------- calls

  async #ask(name: string, method: string, params: object = {}, filter?: object): Promise<unknown> {
    const socket = await this.#connect();
    const answer = await answerOf(socket, method, params, filter);
    socket.close();
    this.#steps.push([name, this.#masked(answer)]);
    return answer;
  }

  /** Writes both requests at once, so that the `wait` call begins before any answer can arrive. */
  async #sendAndWait(name: string, part: Part): Promise<void> {
    const socket = await this.#connect();
    const wait = { payment_hash: part.hash, partid: 1, groupid: 1 };
    const answers = await Promise.all([
      answerOf(socket, 'sendonion', this.#sendParams(part)),
      answerOf(socket, 'waitsendpay', wait),
    ]);
    socket.close();
    this.#steps.push([name, this.#masked(answers[0])], [`${name}: its end`, this.#masked(answers[1])]);
  }

  #connect(): Promise<NodeSocket> {
    return NodeSocket.open(this.#network.socketPath, 30_000);
  }

  /** Replaces values that differ between networks by their types. */
  #masked(value: unknown, key = ''): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#masked(one, key));
    if (value !== null && typeof value === 'object') {
      const members = Object.entries(value).map(([name, one]) => [name, this.#masked(one, name)]);
      return Object.fromEntries(members);
    }
    if (key === 'message' && typeof value === 'string') return this.#words(value);
    return KEPT.has(key) ? value : typeof value;
  }

  /** A message without ids, hashes, groups and heights. */
  #words(message: string): string {
    return message
      .replaceAll(/\b0[23][0-9a-f]{64}\b/g, 'NODE')
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
      .replaceAll(/\b\d+x\d+x\d+\b/g, 'CHANNEL')
      .replaceAll(/HTLC fee: \d+sat/g, 'HTLC fee: Nsat');
  }

  // ---------------------------------------------------------------- steps

  /** Requests that are invalid regardless of the node's state. */
  async #malformed(): Promise<void> {
    await this.#ask('no such method', 'nonsense');
    await this.#ask('an unknown parameter', 'getinfo', { nonsense: 1 });
    await this.#ask('a missing parameter', 'waitsendpay');
    await this.#ask('no hash', 'waitsendpay', { payment_hash: 'xyz' });
    await this.#ask('too many parameters', 'getinfo', [1, 2]);
    await this.#ask('no subsystem', 'wait', { subsystem: 'nonsense', indexname: 'created', nextvalue: 0 });
    await this.#ask('no index', 'wait', { subsystem: 'sendpays', indexname: 'nonsense', nextvalue: 0 });
    await this.#ask('no first hop', 'sendonion', {
      onion: '00',
      first_hop: {},
      payment_hash: '00'.repeat(32),
    });
    const hop = { id: this.#network.next, channel: this.#network.ours, amount_msat: 1000, delay: 0 };
    await this.#ask('no delay', 'sendonion', { onion: '00', first_hop: hop, payment_hash: '00'.repeat(32) });
    const later = { ...hop, delay: 10 };
    await this.#ask('no onion', 'sendonion', {
      onion: '00',
      first_hop: later,
      payment_hash: '00'.repeat(32),
    });
    await this.#ask('start without index', 'listsendpays', { start: 1 });
    await this.#ask('a pending row to delete', 'delpay', {
      payment_hash: '00'.repeat(32),
      status: 'pending',
    });
    await this.#ask('no row to delete', 'delpay', { payment_hash: '00'.repeat(32), status: 'failed' });
    await this.#ask('check of a bad parameter', 'check', {
      command_to_check: 'waitsendpay',
      payment_hash: 'x',
    });
    await this.#ask('check', 'check', { command_to_check: 'waitsendpay', payment_hash: '00'.repeat(32) });
    await this.#ask('a bad node id', 'preapprovekeysend', {
      destination: 'x',
      payment_hash: 'x',
      amount_msat: 1,
    });
  }

  async #questions(): Promise<void> {
    const only = { id: true, version: true, blockheight: true, network: true, 'lightning-dir': true };
    await this.#ask('getinfo', 'getinfo', {}, only);
    await this.#ask('its age', 'getlog', { level: 'broken' }, { created_at: true });
    const channel = {
      peer_id: true,
      peer_connected: true,
      state: true,
      short_channel_id: true,
      opener: true,
      total_msat: true,
      spendable_msat: true,
      receivable_msat: true,
      feerate: { perkw: true },
      updates: { local: POLICY, remote: POLICY },
      htlcs: true,
    };
    await this.#ask('its channels', 'listpeerchannels', {}, { channels: [channel] });
    await this.#ask('a filter of another shape', 'listpeerchannels', {}, { channels: { id: true } });
    // A real node also connects to further nodes by itself, to ask them for gossip.
    await this.#ask(
      'its peer',
      'listpeers',
      { id: this.#network.next },
      { peers: [{ id: true, connected: true, num_channels: true }] },
    );
    await this.#ask('the height that is', 'waitblockheight', { blockheight: 1 });
    await this.#ask('a height that is not yet', 'waitblockheight', { blockheight: 9_999_999, timeout: 1 });
    for (const subsystem of ['sendpays', 'htlcs', 'networkevents']) {
      await this.#ask(`count of ${subsystem}`, 'wait', { subsystem, indexname: 'created', nextvalue: 0 });
    }
    const secret = (await this.#ask('a secret', 'makesecret', { string: 'x' })) as { secret: string };
    const again = (await this.#ask('the same secret', 'makesecret', { hex: '78' })) as { secret: string };
    this.#steps.push(['secrets agree', secret.secret === again.secret]);
    await this.#ask('usage', 'help', { command: 'waitsendpay' });
    await this.#ask('no usage', 'help', { command: 'nonsense' });
    const known = { destination: this.#network.recipient, payment_hash: '00'.repeat(32), amount_msat: 1000 };
    await this.#ask('consent', 'preapprovekeysend', known);
    await this.#ask('a peer that has channels', 'disconnect', { id: this.#network.next });
  }

  async #datastore(): Promise<void> {
    const key = ['scenario', 'of', 'tests'];
    await this.#ask('append to nothing', 'datastore', { key, hex: '00', mode: 'must-append' });
    await this.#ask('create', 'datastore', { key, hex: '00ff', mode: 'must-create' });
    await this.#ask('create again', 'datastore', { key, hex: '00', mode: 'must-create' });
    await this.#ask('append', 'datastore', { key, hex: '01', mode: 'create-or-append' });
    await this.#ask('replace another generation', 'datastore', {
      key,
      hex: '00',
      mode: 'must-replace',
      generation: 9,
    });
    await this.#ask('a child of it', 'datastore', { key: [...key, 'below'], string: 'a' });
    await this.#ask('its parent', 'datastore', { key: key.slice(0, 2), string: 'a' });
    await this.#ask('list', 'listdatastore', { key: key.slice(0, 2) });
    await this.#ask('list above', 'listdatastore', { key: key.slice(0, 1) });
    await this.#ask('delete', 'deldatastore', { key });
    await this.#ask('delete again', 'deldatastore', { key });
  }

  // ---------------------------------------------------------------- payments

  async #paid(): Promise<void> {
    await this.#ask('moves from nowhere', 'listchannelmoves', { start: 1 });
    await this.#ask('moves by change', 'listchannelmoves', { index: 'updated', start: 1 });
    await this.#ask('closed channels', 'listclosedchannels');
    const part = await this.#part({});
    const { hash } = part;
    await this.#ask('wait for nothing', 'waitsendpay', { payment_hash: hash, partid: 1, groupid: 1 });
    await this.#send('keysend', part);
    await this.#ask('settled', 'waitsendpay', { payment_hash: hash, partid: 1, groupid: 1 });
    await this.#booked(hash);
    await this.#send('sent again', part);
    await this.#send('another amount', part, { amount_msat: 4_999 });
    await this.#send('another part', part, { partid: 2 });
    await this.#ask('its row', 'listsendpays', { payment_hash: hash });
    await this.#ask('its row by hash and start', 'listsendpays', {
      payment_hash: hash,
      index: 'created',
      start: 1,
    });
    await this.#ask('delete as failed', 'delpay', { payment_hash: hash, status: 'failed' });
    await this.#ask('delete half', 'delpay', { payment_hash: hash, status: 'complete', partid: 1 });
    await this.#ask('delete', 'delpay', { payment_hash: hash, status: 'complete' });
    await this.#ask('no row', 'listsendpays', { payment_hash: hash });
  }

  /** Waits until the part is in the node's bookkeeper, where it appears once its HTLC is finally removed. */
  async #booked(hash: string): Promise<void> {
    const moves = { index: 'created', start: 1 };
    for (let tries = 0; ; tries++) {
      const socket = await this.#connect();
      const { channelmoves } = (await answerOf(socket, 'listchannelmoves', moves)) as {
        channelmoves: { payment_hash?: string }[];
      };
      socket.close();
      const move = channelmoves.find((one) => one.payment_hash === hash);
      if (move === undefined && tries < 100) {
        await sleep(50);
        continue;
      }
      this.#steps.push(['its move in the books', this.#masked(move)]);
      return;
    }
  }

  async #failed(): Promise<void> {
    const secret = { paymentData: { paymentSecret: new Uint8Array(32), totalMsat: msat(AMOUNT) } };
    const unknown = await this.#part(secret);
    const wait = { payment_hash: unknown.hash, partid: 1, groupid: 1 };
    await this.#sendAndWait('a hash that no node knows', unknown);
    await this.#ask('failed, asked again', 'waitsendpay', wait);
    await this.#send('failed, sent again', unknown);
    await this.#ask('its row', 'listsendpays', { payment_hash: unknown.hash });

    const much = await this.#part(secret, 9_999_000_000_000n);
    const local = { payment_hash: much.hash, partid: 1, groupid: 1 };
    await this.#sendAndWait('more than the channel has', much);
    await this.#ask('refused by the channel, asked again', 'waitsendpay', local);
  }

  async #refused(): Promise<void> {
    const part = await this.#part({});
    const { ours, next } = this.#network;
    const stranger = { id: STRANGER, channel: ours, amount_msat: 6_000, delay: 50 };
    await this.#send('to a stranger', part, { first_hop: stranger });
    const elsewhere = { id: next, channel: '1x1x1', amount_msat: 6_000, delay: 50 };
    await this.#send('over no channel', part, { first_hop: elsewhere });
    await this.#ask('no trace of it', 'listsendpays', { payment_hash: part.hash });
  }

  #send(name: string, part: Part, more: object = {}): Promise<unknown> {
    return this.#ask(name, 'sendonion', { ...this.#sendParams(part), ...more });
  }

  #sendParams({ hash, onion, firstHop }: Part): object {
    return {
      ...{
        onion,
        first_hop: firstHop,
        payment_hash: hash,
        partid: 1,
        groupid: 1,
        amount_msat: Number(AMOUNT),
      },
      ...{ destination: this.#network.recipient, label: 'scenario' },
    };
  }

  /** A part to the recipient. It is a keysend unless `final` has payment data. */
  async #part(final: Partial<HopPayload>, amountMsat = AMOUNT + this.#network.feeMsat): Promise<Part> {
    const { next, ours, recipient, beyond, delay } = this.#network;
    const preimage = new Uint8Array(randomBytes(32));
    const hash = sha256(preimage);
    const outgoingCltvValue = (await this.#network.height()) + 1 + FINAL_BLOCKS;
    const terms = { amtToForwardMsat: msat(AMOUNT), outgoingCltvValue };
    const keysend = final.paymentData === undefined ? { keysendPreimage: preimage } : {};
    const hops = [
      { nodeId: next, payload: { ...terms, shortChannelId: parseShortChannelId(beyond)! } },
      { nodeId: recipient, payload: { ...terms, ...keysend, ...final } },
    ].map(({ nodeId, payload }) => ({
      nodeId: nodeIdToBytes(parseNodeId(nodeId) as NodeId),
      payload: encodePayload(payload),
    }));
    const sessionKey = new Uint8Array(randomBytes(32));
    const { packet } = createOnion(hops, { sessionKey, associatedData: hash });
    const firstHop = { id: next, channel: ours, amount_msat: amountMsat, delay: FINAL_BLOCKS + delay };
    return { hash: toHex(hash), onion: toHex(packet), firstHop };
  }
}

/** The result as plain JSON, or the error. */
async function answerOf(
  socket: NodeSocket,
  method: string,
  params: object,
  filter?: object,
): Promise<unknown> {
  const plain = (members: Members) =>
    Object.fromEntries(members.entries().map(([key, value]) => [key, JSON.parse(value.raw)]));
  try {
    const options = { timeoutMs: 60_000, ...(filter && { filter }) };
    return plain(await socket.call(method, params as Record<string, unknown>, options));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const { code, message, data } = error;
    return { code, message, ...(data && { data: plain(data) }) };
  }
}

const POLICY = {
  htlc_minimum_msat: true,
  htlc_maximum_msat: true,
  cltv_expiry_delta: true,
  fee_base_msat: true,
  fee_proportional_millionths: true,
};

/** A public key from the test vectors of BOLT 8, which is not the id of any of the nodes. */
const STRANGER = '032c0b7cf95324a07d05398b240174dc0c2be444d96b159aa6c7f7b1e668680991';

/** Members whose values the scenario determines, so that a real node and the stand-in must agree on them. */
const KEPT = new Set(
  (
    'code status partid groupid amount_msat amount_sent_msat erring_index failcode failcodename label subsystem ' +
    'indexname network state part_id group_id debit_msat credit_msat fees_msat primary_tag peer_connected connected generation hex string command_to_check command direction'
  ).split(' '),
);
