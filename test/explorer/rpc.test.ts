/** Calls from the page to the node: which errors end the session of the tab. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Rpc } from '../../src/explorer/rpc.ts';

const NOT_PERMITTED = 1502;

describe('the rune of the tab', () => {
  afterEach(() => void vi.unstubAllGlobals());

  /** The number of reported refusals after a call whose answer has this status and body. */
  async function refusals(
    call: (rpc: Rpc) => Promise<unknown>,
    status: number,
    body: unknown,
  ): Promise<number> {
    vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status }));
    let count = 0;
    const rpc = new Rpc(
      () => 'a rune',
      () => count++,
    );
    await call(rpc).catch(() => undefined);
    return count;
  }

  const { signal } = new AbortController();
  const lone = (code: number) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'no' } });

  test.each([
    ['call', (rpc: Rpc) => rpc.call('getinfo', {}), lone],
    ['callEach', (rpc: Rpc) => rpc.callEach('getinfo', [{}, {}], signal), (code: number) => [lone(code)]],
    [
      'callEach, refused as a whole',
      (rpc: Rpc) => rpc.callEach('getinfo', [{}], signal),
      (code: number) => lone(code),
    ],
    ['bytes', (rpc: Rpc) => rpc.bytes('/columns'), (code: number) => ({ code, message: 'no' })],
  ])('%s reports a rune that the node does not accept, but no other error', async (_, call, body) => {
    expect(await refusals(call, 401, body(1501))).toBe(1);
    expect(await refusals(call, 401, body(NOT_PERMITTED))).toBe(0);
    expect(await refusals(call, 500, body(-32603))).toBe(0);
  });
});
