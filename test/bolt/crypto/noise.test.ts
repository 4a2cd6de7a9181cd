/**
 * Handshake and transport, checked with the published vectors: BOLT 8, "Appendix A: Transport Test Vectors".
 */

import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { NoiseInitiator, NoiseResponder } from '../../../src/bolt/crypto/noise.ts';
import { Transport } from '../../../src/bolt/peer/transport.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';

const hex = (byte: string): Uint8Array => fromHex(byte.repeat(32));
const RESPONDER_ID = fromHex('028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7');
const ACT_ONE =
  '00036360e856310ce5d294e8be33fc807077dc56ac80d95d9cd4ddbd21325eff73f70df6086551151f58b8afe6c195782c6a';
const ACT_TWO =
  '0002466d7fcae563e5cb09a0d1870bb580344804617879a14949cf22285f1bae3f276e2470b93aac583c9ef6eafca3f730ae';
const ACT_THREE =
  '00b9e3a702e93e3a9948c2ed6e5fd7590a6e1c3a0344cfc9d5b57357049aa22355361aa02e55a8fc28fef5bd6d71ad0c3822' +
  '8dc68b1c466263b47fdf31e560e139ba';
const SEND_KEY = '969ab31b4d288cedf6218839b27a3e2140827047f2c0f01bf5c04435d43511a9';
const RECEIVE_KEY = 'bb9020b8965f4df047e07f955f3c4b88418984aadc5cdb35096b9ea8fa5c3442';
const CHAINING_KEY = '919219dbb2920afa8db80f9a51787a840bcf111ed8d588caf9ab4be716e42b01';

const initiator = (): NoiseInitiator => new NoiseInitiator(hex('11'), RESPONDER_ID, hex('12'));
const responder = (): NoiseResponder => new NoiseResponder(hex('21'), hex('22'));

describe('BOLT 8 handshake vectors', () => {
  it('transport-initiator successful handshake', () => {
    const noise = initiator();
    expect(toHex(noise.actOne())).toBe(ACT_ONE);
    const { actThree, keys } = noise.actTwo(fromHex(ACT_TWO));
    expect(toHex(actThree)).toBe(ACT_THREE);
    expect(toHex(keys.sendKey)).toBe(SEND_KEY);
    expect(toHex(keys.receiveKey)).toBe(RECEIVE_KEY);
    expect(toHex(keys.chainingKey)).toBe(CHAINING_KEY);
  });

  it('transport-responder successful handshake', () => {
    const noise = responder();
    expect(toHex(noise.actOne(fromHex(ACT_ONE)))).toBe(ACT_TWO);
    const { initiatorId, keys } = noise.actThree(fromHex(ACT_THREE));
    expect(toHex(initiatorId)).toBe('034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa');
    expect(toHex(keys.receiveKey)).toBe(SEND_KEY);
    expect(toHex(keys.sendKey)).toBe(RECEIVE_KEY);
  });

  it.each([
    ['act2 short read', ACT_TWO.slice(0, -2), 'truncated'],
    ['act2 bad version', `01${ACT_TWO.slice(2)}`, 'invalid'],
    ['act2 bad key serialization', `0004${ACT_TWO.slice(4)}`, 'invalid'],
    ['act2 bad MAC', `${ACT_TWO.slice(0, -2)}af`, 'decryption'],
  ])('transport-initiator %s test', (_, input, reason) => {
    const noise = initiator();
    noise.actOne();
    expect(() => noise.actTwo(fromHex(input))).toThrow(
      expect.objectContaining({ name: 'WireError', reason }),
    );
  });

  it.each([
    ['act1 short read', ACT_ONE.slice(0, -2), 'truncated'],
    ['act1 bad version', `01${ACT_ONE.slice(2)}`, 'invalid'],
    ['act1 bad key serialization', `0004${ACT_ONE.slice(4)}`, 'invalid'],
    ['act1 bad MAC', `${ACT_ONE.slice(0, -2)}6b`, 'decryption'],
  ])('transport-responder %s test', (_, input, reason) => {
    expect(() => responder().actOne(fromHex(input))).toThrow(
      expect.objectContaining({ name: 'WireError', reason }),
    );
  });

  const BAD_RS =
    '00bfe3a702e93e3a9948c2ed6e5fd7590a6e1c3a0344cfc9d5b57357049aa2235536ad09a8ee351870c2bb7f78b754a26c6c' +
    'ef79a98d25139c856d7efd252c2ae73c';
  it.each([
    ['act3 bad version', `01${ACT_THREE.slice(2)}`, 'invalid'],
    ['act3 short read', ACT_THREE.slice(0, -2), 'truncated'],
    ['act3 bad MAC for ciphertext', `00c9${ACT_THREE.slice(4)}`, 'decryption'],
    ['act3 bad rs', BAD_RS, 'invalid'],
    ['act3 bad MAC', `${ACT_THREE.slice(0, -2)}bb`, 'decryption'],
  ])('transport-responder %s test', (_, input, reason) => {
    const noise = responder();
    noise.actOne(fromHex(ACT_ONE));
    expect(() => noise.actThree(fromHex(input))).toThrow(
      expect.objectContaining({ name: 'WireError', reason }),
    );
  });
});

describe('BOLT 8 message encryption vectors', () => {
  const keys = {
    sendKey: fromHex(SEND_KEY),
    receiveKey: fromHex(RECEIVE_KEY),
    chainingKey: fromHex(CHAINING_KEY),
  };
  const hello = new Uint8Array(Buffer.from('hello'));
  const OUTPUTS: Readonly<Record<number, string>> = {
    0: 'cf2b30ddf0cf3f80e7c35a6e6730b59fe802473180f396d88a8fb0db8cbcf25d2f214cf9ea1d95',
    1: '72887022101f0b6753e0c7de21657d35a4cb2a1f5cde2650528bbc8f837d0f0d7ad833b1a256a1',
    500: '178cb9d7387190fa34db9c2d50027d21793c9bc2d40b1e14dcf30ebeeeb220f48364f7a4c68bf8',
    501: '1b186c57d44eb6de4c057c49940d79bb838a145cb528d6e8fd26dbe50a60ca2c104b56b60e45bd',
    1000: '4a2f3cc3b5e78ddb83dcb426d9863d9d9a723b0337c89dd0b005d89f8d3c05c52b76b29b740f09',
    1001: '2ecd8c8a5629d0d02ab457a0fdd0f7b90a192cd46be5ecb6ca570bfc5e268338b1a16cf4ef2d36',
  };

  it('transport-message test, and the peer reads every frame', () => {
    const sender = new Transport(keys);
    const receiver = new Transport({ ...keys, sendKey: keys.receiveKey, receiveKey: keys.sendKey });
    for (let i = 0; i <= 1001; i++) {
      const frame = sender.seal(hello);
      const expected = OUTPUTS[i];
      if (expected !== undefined) expect(toHex(frame)).toBe(expected);
      expect(receiver.openLength(frame.subarray(0, 18))).toBe(5);
      expect(receiver.openMessage(frame.subarray(18))).toEqual(hello);
    }
  });

  it('carries 65535 bytes and refuses more', () => {
    const sender = new Transport(keys);
    expect(sender.seal(new Uint8Array(65535)).length).toBe(18 + 65535 + 16);
    expect(() => sender.seal(new Uint8Array(65536))).toThrow(WireError);
  });
});
