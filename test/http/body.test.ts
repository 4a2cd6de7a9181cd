/** Reading request bodies: the limits on one body and on all bodies together, exactly. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody } from '../../src/http/body.ts';
import { InputBudget } from '../../src/rpc/input-budget.ts';

const MAX_BYTES = 10;
/** The budget of all requests. Every test must leave it unused. */
const budget = new InputBudget(15);

/** Reads a body of unknown length that arrives in these chunks. */
function read(chunks: readonly (string | Buffer)[]): Promise<string> {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const incoming = Object.assign(stream, { headers: { 'transfer-encoding': 'chunked' } });
  return readBody(incoming as unknown as IncomingMessage, MAX_BYTES, budget);
}

test.each([
  ['of the maximum length', ['12345', '67890'], '1234567890'],
  ['with one byte more', ['12345', '678901'], 'tooLarge'],
  ['in one chunk that is too long', ['12345678901'], 'tooLarge'],
  ['that is not UTF-8', [Buffer.from([0x22, 0xff, 0x22])], 'parseError'],
])('a body %s', async (_, chunks, expected) => {
  expect(await read(chunks).catch(({ name }) => name)).toBe(expected);
  expect(budget.usedBytes).toBe(0);
});

test('a body is refused while other bodies have the bytes of all requests', async () => {
  budget.tryReserve(6);
  await expect(read(['12345', '67890'])).rejects.toMatchObject({ name: 'busy' });
  expect(budget.usedBytes).toBe(6);
  budget.release(6);
});
