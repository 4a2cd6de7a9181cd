/**
 * Random but repeatable work on persistent layers. The same seed has the same effect on any layer book. So
 * the content of a store can be compared with the expected content after each step.
 */
import type { Layer } from '../../src/layers/layer.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { type Direction, shortChannelId } from '../../src/model/short-channel-id.ts';

/** A small generator of numbers in [0, below) (xorshift32). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const TEXTS = [
  '',
  'plain',
  'caf\u00e9 "q" \\ /\n\t',
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  "'; DROP TABLE layer; --",
];
const AMOUNTS = [0n, 1n, 1000n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];

const nodeId = (n: number) => `03${n.toString(16).padStart(64, '0')}` as NodeId;

/** A book whose clock shows the last time set with `at`. */
export function clockedBook(): { book: LayerBook; at: (seconds: number) => void } {
  let now = 0;
  const at = (seconds: number) => {
    now = seconds;
  };
  return { book: new LayerBook(() => now), at };
}

/** One random mutation of the book. The clock sometimes stops and sometimes goes back. */
export function act(
  book: LayerBook,
  at: (seconds: number) => void,
  step: number,
  random: (below: number) => number,
): void {
  at(1000 + step - random(3));
  const names = TEXTS.slice(0, 4);
  const name = names[random(names.length)]! + String.fromCharCode(random(2) === 0 ? 0xd800 : 0x61);
  const layer = book.layer(name);
  if (layer === undefined) {
    book.createLayer(name, true);
    return;
  }
  if (random(12) === 0) book.removeLayer(layer);
  else change(book, layer, random);
}

function change(book: LayerBook, layer: Layer, random: (below: number) => number): void {
  const scid = shortChannelId(random(3), 1, 65535);
  const of = { shortChannelId: scid, direction: random(2) as Direction };
  const amount = msat(AMOUNTS[random(AMOUNTS.length)]!);
  const description = random(2) === 0 ? undefined : TEXTS[random(TEXTS.length)];
  const bias = { bias: random(5) - 2, relative: random(2) === 0, description };
  const inform = random(2) === 0 ? 'unconstrained' : 'succeeded';
  const kinds = [
    () => layer.createdChannel(scid) ?? book.createChannel(layer, nodeId(1), nodeId(2), scid, amount),
    () => book.updateChannel(layer, of, { enabled: random(2) === 0, htlcMaximumMsat: amount }),
    () => book.updateChannel(layer, of, { feeBaseMsat: amount, cltvExpiryDelta: random(65536) }),
    () => book.removeChannelUpdate(layer, of),
    () => book.disableNode(layer, nodeId(random(3))),
    () => book.biasChannel(layer, of, bias),
    () => book.biasNode(layer, nodeId(random(2)), random(2) === 0 ? 'in' : 'out', bias),
    () => book.age(layer, BigInt(990 + random(60))),
    () => book.informChannel(layer, of, amount, inform),
    () => book.informChannel(layer, of, amount, inform),
  ];
  kinds[random(kinds.length)]!();
}

/** The whole content of the persistent layers of a book, in order, as text. */
export function snapshot(book: LayerBook): string {
  const layers = [...book.layers()].filter(({ persistent }) => persistent);
  const content = layers.map((layer) => ({
    name: layer.name,
    disabledNodes: layer.disabledNodes,
    created: [...layer.createdChannels],
    updates: [...layer.channelUpdates],
    records: [...layer.records],
    biases: [...layer.biases],
    nodeBiases: [...layer.nodeBiases],
    cells: [...layer.channelIds()].sort().map((id) => [id, layer.channelCell(id)]),
  }));
  return JSON.stringify(content, canonical, 1);
}

/** Writes bigint as text, and members in alphabetical order. */
function canonical(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
