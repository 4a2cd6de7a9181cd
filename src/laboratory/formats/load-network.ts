/** Opens the network of a scenario in any format, sets its fees, and leaves out the excluded nodes. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { openGraphSource } from '../../gossip/source.ts';
import { Draws } from '../../model/draws.ts';
import { Field } from '../scenario/fields.ts';
import { parseLocated } from '../scenario/located.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { scenarioError } from '../scenario/scenario-error.ts';
import { NodeNames } from '../traffic/node-names.ts';
import { setFees } from '../truth/fee-landscape.ts';
import { readChannelsCsv } from './channels-csv.ts';
import { isClothFolder, readCloth } from './cloth.ts';
import { readText, textOf } from './csv-rows.ts';
import { readGraphml } from './graphml.ts';
import { readListchannels } from './listchannels.ts';
import type { NetworkInput } from './network-input.ts';
import { readSimLn } from './sim-ln.ts';

const START_BYTES = 256;

/** @throws FulguriteError `scenario` or `graphSource` */
export async function loadNetwork(scenario: Scenario): Promise<NetworkInput> {
  const input = await readNetwork(scenario);
  setFees(input.graph, scenario.fees, new Draws(scenario.seed));
  const { exclude, only } = scenario;
  if (exclude.length === 0 && only.length === 0) return withChannels(input, scenario);
  if (input.balances !== undefined || input.limits !== undefined) {
    const field = exclude.length > 0 ? 'exclude' : 'only';
    const expected = 'no nodes to leave out, because the network file has its own balances or limits';
    throw scenarioError({
      file: 'scenario',
      field,
      expected,
      found: `${exclude.length + only.length} nodes`,
    });
  }
  leaveOut(input, exclude, only);
  return withChannels(input, scenario);
}

/** Returns the network. @throws FulguriteError `scenario` if it has no channels */
function withChannels(input: NetworkInput, { graph }: Scenario): NetworkInput {
  if (input.graph.channelCount > 0) return input;
  throw scenarioError({
    file: 'scenario',
    field: 'graph',
    expected: 'a network with channels',
    found: graph,
  });
}

async function readNetwork({ graph: spec, graphFormat, seed }: Scenario): Promise<NetworkInput> {
  const format = graphFormat === 'auto' ? formatOf(spec) : graphFormat;
  if (format === 'channels') return readChannelsCsv(spec);
  if (format === 'cloth') return readCloth(spec).network;
  if (format === 'sim-ln') return simLnNetwork(spec);
  if (format === 'graphml') return readGraphml(spec);
  if (format === 'listchannels') return readListchannels(spec);
  const { graph } = await openGraphSource(spec, { seed });
  return { graph, aliases: new Map(), warnings: [] };
}

/** Reads the network of a `sim.json`, but not its traffic. */
function simLnNetwork(file: string): NetworkInput {
  const parsed = parseLocated(readText(file), file);
  return readSimLn(new Field(parsed, parsed.root, ''), file).network;
}

function formatOf(spec: string): 'channels' | 'cloth' | 'sim-ln' | 'graphml' | 'listchannels' | 'graph' {
  if (spec.startsWith('synthetic')) return 'graph';
  try {
    if (statSync(spec).isDirectory() && isClothFolder(spec)) return 'cloth';
    const start = startOf(spec);
    if (/^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)?<graphml/.test(start)) return 'graphml';
    if (/^\s*\{\s*"sim_network"/.test(start)) return 'sim-ln';
    if (/^\s*\{\s*"channels"\s*:\s*\[/.test(start)) return 'listchannels';
    return /^[a-z_0-9, ]*\bscid\b/.test(start) ? 'channels' : 'graph';
  } catch (error) {
    throw scenarioError({
      file: 'scenario',
      field: 'graph',
      expected: 'synthetic:NODES or a readable file',
      found: `${spec}: ${(error as Error).message}`,
    });
  }
}

function startOf(file: string): string {
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(START_BYTES);
    return textOf(buffer.subarray(0, readSync(fd, buffer, 0, START_BYTES, 0)));
  } finally {
    closeSync(fd);
  }
}

/** Removes the channels of excluded nodes and, if there is a list of nodes to keep, of all nodes not in it. */
function leaveOut(
  { graph, aliases }: NetworkInput,
  exclude: readonly string[],
  only: readonly string[],
): void {
  const names = new NodeNames(graph, aliases);
  const excluded = new Set(exclude.map((name) => names.find(name, 'exclude')));
  const kept = new Set(only.map((name) => names.find(name, 'only')));
  const isKept = (node: number): boolean => !excluded.has(node) && (kept.size === 0 || kept.has(node));
  for (let channel = graph.channelCount - 1; channel >= 0; channel--) {
    if (!isKept(graph.node1[channel]!) || !isKept(graph.node2[channel]!)) graph.removeChannel(channel);
  }
}
