import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { type BlindedPath, blindingFactor, createBlindedPath } from '../../../src/bolt/onion/blinded-path.ts';
import { type EncryptedData, encodeEncryptedData } from '../../../src/bolt/onion/encrypted-data.ts';
import {
  createOnionMessage,
  decodeOnionMessage,
  encodeOnionMessage,
  type MessageContent,
  type OnionMessage,
  pathThrough,
  pathToNode,
  receiveOnionMessage,
} from '../../../src/bolt/onion/onion-message.ts';
import { createOnion } from '../../../src/bolt/onion/sphinx.ts';
import { featuresOf } from '../../../src/bolt/peer/features.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { vectors } from '../vectors.ts';

const secretKeys = Array.from({ length: 12 }, (_, i) => sha256(Uint8Array.of(i)));
const nodeIds = secretKeys.map((key) => curve.publicKey(key));
const node = (i: number): Uint8Array => nodeIds[i] as Uint8Array;
const receive = (message: OnionMessage, i: number) =>
  receiveOnionMessage(message, secretKeys[i] as Uint8Array, node(i));
const session = (i: number) => sha256(Uint8Array.of(200, i));

describe('bolt04/blinded-onion-message-onion-test.json', () => {
  const { generate, route, onionmessage, decrypt } = vectors('bolt04-onion-message');
  const hello = { unknownRecords: [{ type: 1n, value: fromHex('68656c6c6f') }] };

  it("Alice's part, joined to Dave's path, is the stated route", () => {
    const nodes = generate.hops.slice(1).map((hop: { encrypted_data_tlv: string }, i: number) => ({
      nodeId: curve.publicKey(fromHex(decrypt.hops[i + 1].privkey)),
      data: fromHex(hop.encrypted_data_tlv),
    }));
    const davesPath = createBlindedPath(nodes, fromHex(generate.hops[1].path_key_secret));
    const alice = fromHex(route.first_node_id);
    const bob = nodes[0].nodeId;
    const whole = pathThrough([alice], bob, davesPath, fromHex(generate.hops[0].path_key_secret));
    expect(toHex(whole.firstPathKey)).toBe(route.first_path_key);
    expect(
      whole.hops.map((hop) => ({
        blinded_node_id: toHex(
          'secret' in hop ? curve.pointMultiply(hop.nodeId, blindingFactor(hop.secret)) : hop.blindedNodeId,
        ),
        encrypted_recipient_data: toHex(hop.encryptedRecipientData),
      })),
    ).toEqual(route.hops);
  });

  it('is created byte for byte', () => {
    const path: BlindedPath = {
      firstNode: fromHex(route.first_node_id),
      firstPathKey: fromHex(route.first_path_key),
      hops: route.hops.map((hop: Record<string, string>) => ({
        blindedNodeId: fromHex(hop.blinded_node_id as string),
        encryptedRecipientData: fromHex(hop.encrypted_recipient_data as string),
      })),
    };
    const message = createOnionMessage(path, hello, fromHex(generate.session_key));
    expect(toHex(message.packet)).toBe(onionmessage.onion_message_packet);
    expect(toHex(encodeOnionMessage(message))).toBe(decrypt.hops[0].onion_message);
  });

  it('is passed on byte for byte by every node, and read by Dave', () => {
    decrypt.hops.forEach((hop: Record<string, string>, i: number) => {
      const key = fromHex(hop.privkey as string);
      const message = decodeOnionMessage(fromHex(hop.onion_message as string));
      const received = receiveOnionMessage(message, key, curve.publicKey(key));
      if (received.kind === 'forward') {
        expect(toHex(received.nextNode as Uint8Array)).toBe(hop.next_node_id);
        expect(toHex(encodeOnionMessage(received.message))).toBe(decrypt.hops[i + 1].onion_message);
      } else {
        expect(i).toBe(3);
        expect(toHex(received.pathId as Uint8Array)).toBe(generate.hops[3].tlvs.path_id);
        expect(received.content).toEqual(hello);
      }
    });
  });
});

/**
 * Passes the message from node to node by their ids until a node can read it. Returns what that node reads.
 */
function deliver(message: OnionMessage, first: number) {
  let at = first;
  let current = message;
  for (let hop = 0; hop < 20; hop++) {
    const received = receive(decodeOnionMessage(encodeOnionMessage(current)), at);
    if (received.kind === 'content') return { at, ...received };
    at = nodeIds.findIndex((id) => toHex(id) === toHex(received.nextNode as Uint8Array));
    current = received.message;
  }
  throw new Error('the message goes in circles');
}

/** A path over the nodes to the last one, which recognises the path by its path id. */
function ownPath(route: readonly number[], pathId: Uint8Array): BlindedPath {
  const nodes = route.map((i, at) => {
    const next = route[at + 1];
    return {
      nodeId: node(i),
      data: encodeEncryptedData(next === undefined ? { pathId } : { nextNodeId: node(next) }),
    };
  });
  return createBlindedPath(nodes, session(0));
}

const pathId = fromHex('77'.repeat(32));
const content: MessageContent = { invoiceRequest: new Uint8Array(300).fill(5) };

describe('onion messages', () => {
  it('reach a node by its id, over any number of nodes, without a path id', () => {
    for (let via = 0; via <= 8; via++) {
      const ids = nodeIds.slice(1, via + 1);
      const message = createOnionMessage(pathToNode(ids, node(11), session(1)), content, session(2));
      expect(deliver(message, via === 0 ? 11 : 1)).toEqual({
        at: 11,
        kind: 'content',
        pathId: undefined,
        content,
      });
    }
  });

  it("reach the creator of a blinded path, over the sender's nodes and the path's", () => {
    const ids = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 4 }));
    fc.assert(
      fc.property(ids, ([via, hops]) => {
        const route = Array.from({ length: hops }, (_, i) => 6 + i);
        const path = pathThrough(nodeIds.slice(1, via + 1), node(6), ownPath(route, pathId), session(1));
        const message = createOnionMessage(path, content, session(2));
        const read = deliver(message, via === 0 ? 6 : 1);
        expect(read).toEqual({ at: 5 + hops, kind: 'content', pathId, content });
      }),
    );
  });

  it('carry a reply path, over which the reply returns', () => {
    const replyPath = ownPath([2, 1, 0], pathId);
    const request = createOnionMessage(
      pathToNode([node(1)], node(2), session(3)),
      { ...content, replyPath },
      session(4),
    );
    const asked = deliver(request, 1);
    expect(asked.content.replyPath).toEqual(replyPath);
    const reply = { invoice: new Uint8Array(800).fill(9) };
    const answer = createOnionMessage(asked.content.replyPath as BlindedPath, reply, session(5));
    expect(deliver(answer, 2)).toEqual({ at: 0, kind: 'content', pathId, content: reply });
  });

  it('are 1366 bytes long if they fit, otherwise 32834, otherwise refused', () => {
    const path = pathToNode([], node(1), session(1));
    const sizeOf = (bytes: number) =>
      createOnionMessage(path, { invoice: new Uint8Array(bytes) }, session(2)).packet;
    // 3 + (2 + 16) + (4 + length) + 32 = 1300
    expect(sizeOf(1243)).toHaveLength(1366);
    expect(sizeOf(1244)).toHaveLength(32834);
    expect(deliver({ pathKey: path.firstPathKey, packet: sizeOf(32711) }, 1).content.invoice).toHaveLength(
      32711,
    );
    expect(() => sizeOf(32712)).toThrow(expect.objectContaining({ reason: 'tooLong' }));
  });

  it('pass dummy hops at the node that created the path, up to a limit', () => {
    const dummies = (count: number) => Array.from({ length: count }, () => 5);
    const withDummies = (count: number) =>
      createOnionMessage(ownPath([4, ...dummies(count)], pathId), content, session(2));
    expect(deliver(withDummies(4), 4)).toEqual({ at: 5, kind: 'content', pathId, content });
    expect(deliver(withDummies(11), 4)).toMatchObject({ at: 5, kind: 'content' });
    expect(() => deliver(withDummies(12), 4)).toThrow(expect.objectContaining({ reason: 'tooLong' }));
  });

  it('name the next node by a channel if the path does', () => {
    const nodes = [
      { nodeId: node(1), data: encodeEncryptedData({ shortChannelId: shortChannelId(9, 8, 7) }) },
      { nodeId: node(2), data: encodeEncryptedData({ pathId }) },
    ];
    const message = createOnionMessage(createBlindedPath(nodes, session(1)), content, session(2));
    const received = receive(message, 1);
    expect(received).toMatchObject({ kind: 'forward', nextNode: shortChannelId(9, 8, 7) });
    if (received.kind === 'forward')
      expect(receive(received.message, 2)).toMatchObject({ kind: 'content', pathId });
  });
});

describe('a node ignores', () => {
  /** A message of two layers, with the given data and extra payload for the forwarding node. */
  function twoLayers(
    data: EncryptedData,
    extra = '',
    last: EncryptedData = {},
    lastExtra = '',
  ): OnionMessage {
    const nodes = [
      { nodeId: node(1), data: encodeEncryptedData(data) },
      { nodeId: node(2), data: encodeEncryptedData(last) },
    ];
    const path = createBlindedPath(nodes, session(1));
    const hops = path.hops.map(({ blindedNodeId, encryptedRecipientData: blob }, i) => {
      const record = `04${blob.length.toString(16).padStart(2, '0')}${toHex(blob)}`;
      return { nodeId: blindedNodeId, payload: fromHex(record + (i === 0 ? extra : lastExtra)) };
    });
    return { pathKey: path.firstPathKey, packet: createOnion(hops, { sessionKey: session(2) }).packet };
  }
  const next = { nextNodeId: node(2) };

  it.each([
    ['nothing wrong', next, '', undefined],
    ['a path id before the end', { ...next, pathId }, '', 'fields'],
    ['no next node', {}, '', 'fields'],
    ['fields for the recipient', next, '400100', 'fields'],
    ['unknown odd fields', next, '410100', 'fields'],
    ['unknown even fields', next, '4c0100', 'unknownEven'],
    ['features that are demanded', { ...next, allowedFeatures: featuresOf([3]) }, '', 'fields'],
    ['features spelled out as none', { ...next, allowedFeatures: new Uint8Array(2) }, '', undefined],
  ])('%s at a forwarding node', (_, data, extra, reason) => {
    const message = twoLayers(data, extra);
    if (reason === undefined) expect(receive(message, 1).kind).toBe('forward');
    else expect(() => receive(message, 1)).toThrow(expect.objectContaining({ name: 'WireError', reason }));
  });

  it.each([
    ['one payload', '42020102', undefined],
    ['two payloads', '40020102' + '42020102', 'fields'],
    ['a static invoice', '46020102', undefined],
    ['a release', '4a0100', undefined],
    ['a release beside an invoice', '42020102' + '4a0100', 'fields'],
    ['a static invoice beside an invoice', '42020102' + '46020102', 'fields'],
    ['unknown even fields', '4c020102', 'unknownEven'],
    ['a reply path that is none', '0203020000', 'order'],
  ])('%s at the end', (_, extra, reason) => {
    const passed = receive(twoLayers(next, '', { pathId }, extra), 1);
    if (passed.kind !== 'forward') throw new Error('not passed on');
    if (reason === undefined) expect(receive(passed.message, 2)).toMatchObject({ kind: 'content', pathId });
    else
      expect(() => receive(passed.message, 2)).toThrow(
        expect.objectContaining({ name: 'WireError', reason }),
      );
  });

  it('a reply path without hops', () => {
    const replyPath = { firstNode: node(3), firstPathKey: node(4), hops: [] };
    const path = pathToNode([], node(1), session(1));
    const message = createOnionMessage(path, { ...content, replyPath }, session(2));
    expect(() => receive(message, 1)).toThrow(
      expect.objectContaining({ name: 'WireError', reason: 'fields' }),
    );
  });

  it('anything else that a sender writes into a layer', () => {
    const extra = fc.uint8Array({ maxLength: 60 }).map(toHex);
    fc.assert(
      fc.property(extra, extra, (first, last) => {
        try {
          const passed = receive(twoLayers(next, first, { pathId }, last), 1);
          if (passed.kind === 'forward') receive(passed.message, 2);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('messages for a different node, and any other bytes', () => {
    const message = createOnionMessage(pathToNode([node(1)], node(2), session(1)), content, session(2));
    expect(() => receive(message, 3)).toThrow(expect.objectContaining({ reason: 'onionHmac' }));
    const bytes = encodeOnionMessage(message);
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
    const mutated = changes.map((all) => {
      const changed = new Uint8Array(bytes);
      for (const [at, value] of all) changed[at] = value;
      return changed;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 200 })), (candidate) => {
        try {
          receive(decodeOnionMessage(candidate), 1);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
