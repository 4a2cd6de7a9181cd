/**
 * The stand-in that most tests use: a node in front of a line of three. All channels have a million sat. Our whole
 * channel is on our side; the others are evenly divided.
 *
 *     stand-in ── A ── B ── C
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { msat } from '../../src/model/msat.ts';
import { formatShortChannelId, type ShortChannelId } from '../../src/model/short-channel-id.ts';
import { NodeError } from '../../src/network/cln/answer.ts';
import { NodeSocket } from '../../src/network/cln/node-socket.ts';
import type { Simulation, SimulationOptions } from '../../src/network/simulated/index.ts';
import {
  A,
  AB,
  B,
  BC,
  C,
  CAPACITY,
  directionFrom,
  lineSimulation,
  OWN_ID,
  POLICY,
  START_HEIGHT,
} from '../network/simulated/line.ts';
import type { PublicDirection } from './node-view.ts';
import { StandIn, type StandInOptions } from './stand-in.ts';

/** The secret key of the stand-in's node. */
export const OWN_KEY = new Uint8Array(32).fill(9);

/** A stand-in with its network and its directory. */
export interface LineNode {
  readonly node: StandIn;
  readonly simulation: Simulation;
  readonly directory: string;
  /** Our channel to A. */
  readonly ours: ShortChannelId;
  /** Options of a daemon that uses the node. */
  readonly daemonOptions: readonly string[];
  /** Stops the node and removes its directory. */
  readonly close: () => Promise<void>;
}

/** Creates a stand-in that is not started yet. */
export function lineNode(
  options: Partial<StandInOptions> = {},
  network: Partial<SimulationOptions> = {},
): LineNode {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'cln-'));
  // Blocks are mined only by tests.
  const { simulation, ours } = lineSimulation({ blockIntervalMs: 1e12, ...network });
  const node = new StandIn({
    graph: publicLine(ours),
    ...options,
    directory,
    simulation,
    secretKey: OWN_KEY,
  });
  const close = async (): Promise<void> => {
    await node.close();
    rmSync(directory, { recursive: true, force: true });
  };
  const daemonOptions = ['--network', 'cln', '--lightning-rpc-file', node.rpcFile];
  return { node, simulation, directory, ours, daemonOptions, close };
}

function publicLine(ours: ShortChannelId): PublicDirection[] {
  const policy = { ...POLICY, feeBaseMsat: msat(POLICY.feeBaseMsat) };
  const channels = [
    [ours, OWN_ID, A],
    [AB, A, B],
    [BC, B, C],
  ] as const;
  return channels.flatMap(([scid, one, other]) =>
    [[one, other] as const, [other, one] as const].map(([source, destination]) => ({
      ...{ source, destination, scid: formatShortChannelId(scid), capacityMsat: CAPACITY, policy },
    })),
  );
}

/** Maximum milliseconds that a call of the stand-in may take. */
const CALL_MS = 60_000;

/** The result of a call of the stand-in, or its error as `code message`. */
export async function callNode(
  { node }: LineNode,
  method: string,
  params: Record<string, unknown> = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
): Promise<any> {
  const socket = await NodeSocket.open(node.rpcFile, CALL_MS);
  try {
    const answer = await socket.call(method, params);
    return Object.fromEntries(answer.entries().map(([key, value]) => [key, JSON.parse(value.raw)]));
  } catch (error) {
    if (error instanceof NodeError) return `${error.code} ${error.message}`;
    throw error;
  } finally {
    socket.close();
  }
}

export { A, AB, B, BC, C, directionFrom, OWN_ID, START_HEIGHT };
