/**
 * The balances before the first payment. The draws of a channel depend only on its id, so leaving out a channel does
 * not change the balances of others.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { Draws } from '../../model/draws.ts';
import { parseShortChannelId } from '../../model/short-channel-id.ts';
import { readText } from '../formats/csv-rows.ts';
import { PURPOSE } from '../purposes.ts';
import type { BalanceScenario } from '../scenario/scenario.ts';
import { scenarioError } from '../scenario/scenario-error.ts';

const UNSIGNED_INTEGER = /^\d{1,19}$/;

/** Balance of node 1 in each channel, in msat, by channel index. @throws FulguriteError `scenario` */
export function startingBalances(
  graph: ChannelGraph,
  scenario: BalanceScenario,
  draws: Draws,
): BigInt64Array {
  if (scenario.kind === 'file') return balancesFromFile(graph, scenario.file);
  const balances = new BigInt64Array(graph.channelCount);
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const scid = graph.shortChannelIds[channel]!;
    const uniform = draws.uniformOf(PURPOSE.balance, scid);
    const side = draws.uniformOf(PURPOSE.balanceSide, scid);
    balances[channel] = shareOf(graph.capacityMsat[channel]!, shareFor(scenario, uniform, side));
  }
  return balances;
}

/** floor(capacity · share), with the share rounded down to 32 bits. */
const shareOf = (capacityMsat: bigint, share: number): bigint =>
  (capacityMsat * BigInt(Math.floor(share * 0x1_0000_0000))) >> 32n;

function shareFor(
  scenario: Exclude<BalanceScenario, { kind: 'file' }>,
  uniform: number,
  side: number,
): number {
  switch (scenario.kind) {
    case 'uniform':
      return uniform;
    case 'even':
      return 0.5;
    case 'bimodal':
      return bimodal(scenario.scale, uniform, side < 0.5);
    case 'onesided':
      if (side >= scenario.share) return uniform;
      return side < scenario.share / 2 ? 0 : 1;
    case 'mixture':
      if (side >= scenario.share) return uniform;
      return bimodal(scenario.scale, uniform, side < scenario.share / 2);
  }
}

/** Draws a balance as a share of the capacity. The density decreases exponentially from one end of the channel. */
function bimodal(scale: number, uniform: number, isFirst: boolean): number {
  const fall = -scale * Math.log(1 - uniform * (1 - Math.exp(-1 / scale)));
  return isFirst ? fall : 1 - fall;
}

/** Reads `scid,balance_msat` rows after one header line. Every channel must be present. */
function balancesFromFile(graph: ChannelGraph, file: string): BigInt64Array {
  const balances = new BigInt64Array(graph.channelCount).fill(-1n);
  const lines = readText(file).split(/\r?\n/);
  for (const [index, row] of lines.entries()) {
    if (index === 0 || row === '') continue;
    const at = { file, line: index + 1 };
    const [name = '', amount = ''] = row.split(',');
    const scid = parseShortChannelId(name);
    const channel = scid === undefined ? -1 : graph.channelIndex(scid);
    if (channel < 0)
      throw scenarioError({ ...at, field: 'scid', expected: 'a channel of the graph', found: name });
    if (balances[channel] !== -1n) {
      throw scenarioError({ ...at, field: 'scid', expected: 'each channel once', found: `${name} again` });
    }
    const capacityMsat = graph.capacityMsat[channel]!;
    const balance = UNSIGNED_INTEGER.test(amount) ? BigInt(amount) : -1n;
    if (balance < 0n || balance > capacityMsat) {
      const expected = `an amount in msat, at most the capacity of ${capacityMsat}`;
      throw scenarioError({ ...at, field: 'balance_msat', expected, found: amount });
    }
    balances[channel] = balance;
  }
  const missing = balances.indexOf(-1n);
  if (missing >= 0) {
    const found = `none for channel ${graph.shortChannelIds[missing]}`;
    throw scenarioError({ file, field: 'scid', expected: 'a balance for every channel', found });
  }
  return balances;
}
