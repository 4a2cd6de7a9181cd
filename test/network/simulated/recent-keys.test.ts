/** A bounded set of keys, beside a `Set` of texts that forgets its oldest in the same way. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/gossip/random.ts';
import { KEY_BYTES, RecentKeys } from '../../../src/network/simulated/recent-keys.ts';

const CAPACITY = 100;

describe('recent keys', () => {
  it('holds what a set of texts holds, also with many keys of one hash', () => {
    const random = seededRandom(1, 1);
    const keys = new RecentKeys(CAPACITY);
    const texts = new Set<string>();
    const rows = new Map<string, number>();
    for (let n = 0; n < 20_000; n++) {
      // The hash depends on the first four bytes, which have three values here.
      const key = new Uint8Array(KEY_BYTES);
      key[0] = Math.floor(random() * 3);
      key[8] = Math.floor(random() * 256);
      const text = Buffer.from(key).toString('hex');
      expect(keys.rowOf(key) >= 0).toBe(texts.has(text));
      if (texts.has(text)) expect(keys.rowOf(key)).toBe(rows.get(text));
      const row = keys.add(key);
      if (texts.has(text)) continue;
      texts.add(text);
      rows.set(text, row);
      if (texts.size > CAPACITY) texts.delete(texts.values().next().value!);
      expect(Buffer.from(keys.keyAt(row)).toString('hex')).toBe(text);
    }
    expect(keys.size).toBe(CAPACITY);
    const listed = [...keys.rows()].map((row) => Buffer.from(keys.keyAt(row)).toString('hex'));
    expect(listed).toEqual([...texts]);
  });
});
