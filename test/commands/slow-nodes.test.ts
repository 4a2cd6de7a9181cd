/** A daemon on a simulated network whose nodes announce attribution data learns from their hold times. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FEATURE, featuresOf, optional } from '../../src/bolt/peer/features.ts';
import { channel, IDS, nodeBody, record, update, uuid, version } from '../gossip/store-builder.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { DaemonHere } from './daemon-here.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** Our own channels lead to some of the nodes. The others are up to a dozen hops away. */
const NODES = IDS.slice(0, 20);
const CAPACITY_SAT = 10_000_000;
const ANNOUNCED = [FEATURE.var_onion_optin, FEATURE.payment_secret, FEATURE.basic_mpp, FEATURE.keysend];

/** A gossip_store of a line of nodes. @param features what each node announces */
function storeOfLine(name: string, features: readonly number[]): string {
  const path = join(directory.path, name);
  const channels = NODES.slice(1).map((_, index) => {
    const scid = (BigInt(index + 1) << 40n) | 1n;
    const terms = { max: 1000n * BigInt(CAPACITY_SAT), delta: 6, base: 1, ppm: 0, timestamp: 1 };
    const updates = ([0, 1] as const).map((direction) => update(scid, { ...terms, direction }));
    return Buffer.concat([channel(scid, index, index + 1, CAPACITY_SAT), ...updates]);
  });
  const bits = featuresOf(features.map(optional));
  const nodes = NODES.map((_, index) => record(nodeBody(index, 1, '', undefined, bits), { timestamp: 1 }));
  writeFileSync(path, Buffer.concat([version(), uuid(1), ...channels, ...nodes]));
  return path;
}

test.each([
  ['hold times', [...ANNOUNCED, FEATURE.option_attribution_data]],
  ['round trips alone', ANNOUNCED],
])('%s teach which nodes are slow', async (name, features) => {
  const options = ['--graph', storeOfLine(name, features), '--seed', '7', '--no-http'];
  const daemon = await DaemonHere.start(join(directory.path, `of ${name}`), options);
  try {
    const destinations = NODES.slice(-4).map((id) => id.toString('hex'));
    await Promise.all(
      destinations.map((destination) => daemon.result('keysend', { destination, amount_msat: 1_000 })),
    );
    const { times } = (await daemon.result('exportlearned')).state;
    const usesReports = new Map<string, boolean>(
      times.nodes.map(([node, , , , , leanVariance]: [string, ...number[]]) => [node, leanVariance! < 1]),
    );
    expect([...usesReports.values()].includes(true)).toBe(name === 'hold times');
    const { slow_nodes: slow } = await daemon.result('listlearned');
    for (const { node_id, source } of slow)
      expect(source).toBe(usesReports.get(node_id) ? 'hold_times' : 'round_trips');
  } finally {
    await daemon.stop();
  }
});
