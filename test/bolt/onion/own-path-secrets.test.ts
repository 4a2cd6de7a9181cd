import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { OwnPathSecrets } from '../../../src/bolt/onion/own-path-secrets.ts';

const bytes = (n: number): Uint8Array => sha256(Uint8Array.of(n & 255, n >> 8));

describe('secrets of paths to our own node', () => {
  it('are the latest 1,024', () => {
    const secrets = new OwnPathSecrets();
    for (let i = 0; i < 1025; i++) secrets.keep(bytes(i), bytes(9), bytes(i + 2000));
    expect(secrets.take(bytes(0), bytes(9))).toBeUndefined();
    for (const i of [1, 500, 1024]) expect(secrets.take(bytes(i), bytes(9))).toEqual(bytes(i + 2000));
    expect(secrets.take(bytes(500), bytes(9))).toBeUndefined();
  });
});
