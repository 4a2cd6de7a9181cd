/**
 * A real node answers the scenario as recorded. The stand-in for lightningd is checked against the same
 * recording, so it answers as the node does. RECORD=1 in the environment rewrites the recording; `npx biome
 * check --write test` then formats it.
 *
 *     a ── b ── c
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECORDING, Scenario, type Step } from '../../lightningd/scenario.ts';
import { describeNeeding } from '../../needs.ts';
import { ClnNodes, haveNodes } from './cln-nodes.ts';

describeNeeding('lightningd', haveNodes, 'the scenario of the stand-in', () => {
  let nodes: ClnNodes;
  beforeAll(async () => {
    nodes = await ClnNodes.start();
  }, 300_000);
  afterAll(() => nodes?.stop(), 120_000);

  test('is answered as recorded by a real node', async () => {
    const [own, next, recipient] = await Promise.all(
      (['a', 'b', 'c'] as const).map(async (name) => (await nodes.call(name, 'getinfo')).id as string),
    );
    const channelOf = async (source: string, destination: string) => {
      const { channels } = await nodes.call('a', 'listchannels', { source });
      return channels.find((one: { destination: string }) => one.destination === destination);
    };
    const [first, second] = [await channelOf(own!, next!), await channelOf(next!, recipient!)];
    const scenario = new Scenario({
      ...{ socketPath: nodes.socketPath('a'), ownId: own!, next: next!, recipient: recipient! },
      ours: first.short_channel_id,
      beyond: second.short_channel_id,
      feeMsat: BigInt(second.base_fee_millisatoshi),
      delay: second.delay,
      height: async () => (await nodes.call('a', 'getinfo')).blockheight,
    });
    const steps = await scenario.run();
    if (process.env.RECORD === '1') writeFileSync(RECORDING, JSON.stringify(steps));
    const recorded: Step[] = JSON.parse(readFileSync(RECORDING, 'utf8'));
    expect(steps).toEqual(recorded);
  });
});
