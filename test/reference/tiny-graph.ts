/**
 * Graphs of a few channels from one line of text per channel:
 *
 *   'A-B'                                   all defaults
 *   'A-B cap=9000sat fee=5+100 delay=40'    both directions alike
 *   '1-3 0x1x7 > fee=0+20000 < off'         own id; `>` for the direction written, `<` for the other one
 *
 * Settings: `cap=` (amount), `fee=BASE+PPM`, `delay=`, `min=`, `max=` (HTLC limits), `off` (disabled), `none`
 * (no policy known), `knows=MIN..MAX` (bounds a layer would give; the graph itself cannot hold them).
 * Defaults: 1,000,000 sat, fee 0+1, delay 6, HTLC limits 0 to capacity, both directions enabled.
 *
 * Node names are letters (A = 0, B = 1, ...) or numbers. Node n has the private key LE64(n) followed by 24
 * bytes of 1; channel number i between a and b is called (i+a)x(b)x(i) unless the text gives a different id.
 */
import { getPublicKey } from '@noble/secp256k1';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msat, parseMsat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import type { Direction } from '../../src/model/short-channel-id.ts';
import {
  formatShortChannelId,
  parseShortChannelId,
  shortChannelId,
} from '../../src/model/short-channel-id.ts';
import type { DirectionLookup, PlainDirection } from './direction.ts';

export interface TinyGraph {
  readonly graph: ChannelGraph;
  /** Every direction with a policy, including disabled ones. */
  readonly directions: readonly PlainDirection[];
  readonly lookup: DirectionLookup;
}

interface Settings {
  capacityMsat: bigint;
  feeBaseMsat: bigint;
  feeProportionalMillionths: bigint;
  cltvExpiryDelta: number;
  htlcMinimumMsat: bigint;
  htlcMaximumMsat: bigint | undefined;
  enabled: boolean;
  known: boolean;
  bounds: { minimumMsat: bigint; maximumMsat: bigint } | undefined;
}

const DEFAULTS: Settings = {
  capacityMsat: 1_000_000_000n,
  feeBaseMsat: 0n,
  feeProportionalMillionths: 1n,
  cltvExpiryDelta: 6,
  htlcMinimumMsat: 0n,
  htlcMaximumMsat: undefined,
  enabled: true,
  known: true,
  bounds: undefined,
};

const ids = new Map<number, NodeId>();

/** Id of node n. */
export function nodeId(n: number): NodeId {
  const known = ids.get(n);
  if (known !== undefined) return known;
  const secret = new Uint8Array(32).fill(1);
  new DataView(secret.buffer).setBigUint64(0, BigInt(n), true);
  const id = nodeIdFromBytes(getPublicKey(secret));
  ids.set(n, id);
  return id;
}

/** Number of the node with this letter or number. */
export function nodeNumber(name: string): number {
  return /^\d+$/.test(name) ? Number(name) : name.charCodeAt(0) - 'A'.charCodeAt(0);
}

/** Id of the node with this letter or number. */
export function nodeNamed(name: string): NodeId {
  return nodeId(nodeNumber(name));
}

function amount(text: string): bigint {
  const value = parseMsat(text);
  if (value === undefined) throw new Error(`not an amount: ${text}`);
  return value;
}

function applyWord(settings: Settings, word: string): void {
  const [key = '', value = ''] = word.split('=');
  if (key === 'cap') settings.capacityMsat = amount(value);
  else if (key === 'fee') {
    const [base = '', ppm = ''] = value.split('+');
    settings.feeBaseMsat = BigInt(base);
    settings.feeProportionalMillionths = BigInt(ppm);
  } else if (key === 'delay') settings.cltvExpiryDelta = Number(value);
  else if (key === 'min') settings.htlcMinimumMsat = amount(value);
  else if (key === 'max') settings.htlcMaximumMsat = amount(value);
  else if (key === 'off') settings.enabled = false;
  else if (key === 'none') settings.known = false;
  else if (key === 'knows') {
    const [minimum = '', maximum = ''] = value.split('..');
    settings.bounds = { minimumMsat: amount(minimum), maximumMsat: amount(maximum) };
  } else throw new Error(`not a setting: ${word}`);
}

const settingsOf = (base: Settings, words: string): Settings => {
  const settings = { ...base };
  for (const word of words.split(/\s+/).filter((text) => text !== '')) applyWord(settings, word);
  return settings;
};

interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly scid: bigint;
  readonly both: Settings;
  readonly along: Settings;
  readonly against: Settings;
}

const LINE = /^(\w+)-(\w+)\s*(\d+x\d+x\d+)?([^<>]*)(?:>([^<>]*))?(?:<([^<>]*))?$/;

function drawn(line: string, index: number): Drawn {
  const match = LINE.exec(line.trim());
  if (match === null) throw new Error(`not a channel: ${line}`);
  const [from, to] = [nodeNumber(match[1]!), nodeNumber(match[2]!)];
  const scid =
    match[3] === undefined ? shortChannelId(index + from, to, index) : parseShortChannelId(match[3]);
  if (scid === undefined) throw new Error(`not a short channel id: ${line}`);
  const both = settingsOf(DEFAULTS, match[4] ?? '');
  return {
    from,
    to,
    scid,
    both,
    along: settingsOf(both, match[5] ?? ''),
    against: settingsOf(both, match[6] ?? ''),
  };
}

function plain(channel: Drawn, direction: Direction, source: NodeId, destination: NodeId, own: Settings) {
  const { capacityMsat } = channel.both;
  return {
    name: `${formatShortChannelId(channel.scid)}/${direction}`,
    source,
    destination,
    enabled: own.enabled,
    htlcMinimumMsat: own.htlcMinimumMsat,
    htlcMaximumMsat: own.htlcMaximumMsat ?? capacityMsat,
    feeBaseMsat: own.feeBaseMsat,
    feeProportionalMillionths: own.feeProportionalMillionths,
    cltvExpiryDelta: own.cltvExpiryDelta,
    minimumMsat: own.bounds?.minimumMsat ?? 0n,
    maximumMsat: own.bounds?.maximumMsat ?? capacityMsat,
  } satisfies PlainDirection;
}

/** The graph of these lines. @throws Error on a malformed line. */
export function tinyGraph(lines: readonly string[]): TinyGraph {
  const graph = new ChannelGraph(32, 32);
  const directions: PlainDirection[] = [];
  for (const channel of lines.map(drawn)) {
    const ends = [nodeId(channel.from), nodeId(channel.to)] as const;
    const [a, b] = ends.map((id) => graph.internNode(nodeIdToBytes(id))) as [number, number];
    const inOrder = ends[0] < ends[1];
    const index = graph.addChannel(channel.scid, inOrder ? a : b, inOrder ? b : a, channel.both.capacityMsat);
    const sides = [
      { own: channel.along, direction: inOrder ? 0 : 1, source: ends[0], destination: ends[1] },
      { own: channel.against, direction: inOrder ? 1 : 0, source: ends[1], destination: ends[0] },
    ] as const;
    for (const { own, direction, source, destination } of sides) {
      if (!own.known) continue;
      const policy = plain(channel, direction, source, destination, own);
      directions.push(policy);
      graph.setPolicy(index, direction, {
        enabled: policy.enabled,
        htlcMinimumMsat: msat(policy.htlcMinimumMsat),
        htlcMaximumMsat: msat(policy.htlcMaximumMsat),
        feeBaseMsat: Number(policy.feeBaseMsat),
        feeProportionalMillionths: Number(policy.feeProportionalMillionths),
        cltvExpiryDelta: policy.cltvExpiryDelta,
      });
    }
  }
  const byName = new Map(directions.map((direction) => [direction.name, direction]));
  return { graph, directions, lookup: (name) => byName.get(name) };
}
