/**
 * The stand-in answers a scenario as a real node did. The recording was made with lightningd v26.06-258-g090f4b0, by
 * `test/interop/cln/cln-scenario.test.ts` with RECORD=1.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import { A, AB, B, lineNode, OWN_ID } from './line-node.ts';
import { RECORDING, Scenario, type Step } from './scenario.ts';

test('every call gets the same answer as from the recorded node', async () => {
  const { node, simulation, ours, close } = lineNode();
  await node.start();
  const scenario = new Scenario({
    ...{ socketPath: node.rpcFile, ownId: OWN_ID, next: A, recipient: B, feeMsat: 1_000n, delay: 40 },
    ours: formatShortChannelId(ours),
    beyond: formatShortChannelId(AB),
    height: async () => simulation.height,
  });
  const steps = await scenario.run();
  await close();
  const recorded: Step[] = JSON.parse(readFileSync(RECORDING, 'utf8'));
  expect(steps.map(([name]) => name)).toEqual(recorded.map(([name]) => name));
  expect(Object.fromEntries(steps)).toEqual(Object.fromEntries(recorded));
});
