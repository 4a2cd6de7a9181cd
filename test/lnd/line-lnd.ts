/**
 * The LND stand-in that most tests use: a node in front of a line of three. All channels have a million sat. Our
 * whole channel is on our side; the others are evenly divided.
 *
 *     stand-in ── A ── B ── C
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShortChannelId } from '../../src/model/short-channel-id.ts';
import type { Simulation, SimulationOptions } from '../../src/network/simulated/index.ts';
import { OWN_KEY } from '../lightningd/line-node.ts';
import { CERT } from '../network/lnd/cert.ts';
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
import { ADMIN, type GraphEdge, LndStandIn, type LndStandInOptions } from './stand-in.ts';

/** A stand-in with its network, and the files needed to connect to it. */
export interface LineLnd {
  readonly node: LndStandIn;
  readonly simulation: Simulation;
  readonly directory: string;
  readonly certPath: string;
  readonly macaroonPath: string;
  /** Our channel to A. */
  readonly ours: ShortChannelId;
  /** Stops the node and removes its directory. */
  readonly close: () => void;
}

/** Creates a stand-in that is not started yet. */
export function lineLnd(
  options: Partial<LndStandInOptions> = {},
  network: Partial<SimulationOptions> = {},
): LineLnd {
  // Blocks are mined only by tests.
  const { simulation, ours } = lineSimulation({ blockIntervalMs: 1e12, ...network });
  const node = new LndStandIn({
    graph: { nodes: lineNodes(), edges: lineEdges(ours) },
    ...options,
    simulation,
    secretKey: OWN_KEY,
  });
  const directory = mkdtempSync(join(tmpdir(), 'lnd-'));
  const [certPath, macaroonPath] = [join(directory, 'tls.cert'), join(directory, 'fulgurite.macaroon')];
  writeFileSync(certPath, CERT);
  writeFileSync(macaroonPath, Buffer.from(ADMIN, 'hex'));
  chmodSync(macaroonPath, 0o600);
  const close = (): void => {
    node.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { node, simulation, directory, certPath, macaroonPath, ours, close };
}

const lineNodes = (): object[] =>
  [OWN_ID, A, B, C].map((pub_key, index) => ({
    ...{ last_update: 1_700_000_000, pub_key, alias: `node ${index}`, color: '#336699' },
    features: { 9: { is_known: true }, 39: { is_known: true } },
  }));

/** The edges of the line. Each direction has the policy that the simulated network uses. */
export function lineEdges(ours: ShortChannelId): GraphEdge[] {
  const policy = {
    time_lock_delta: POLICY.cltvExpiryDelta,
    min_htlc: String(POLICY.htlcMinimumMsat),
    fee_base_msat: String(POLICY.feeBaseMsat),
    fee_rate_milli_msat: String(POLICY.feeProportionalMillionths),
    max_htlc_msat: String(POLICY.htlcMaximumMsat),
    last_update: 1_700_000_000,
  };
  const channels = [
    [ours, OWN_ID, A],
    [AB, A, B],
    [BC, B, C],
  ] as const;
  return channels.map(([scid, one, other]) => {
    const [node1_pub, node2_pub] = one < other ? [one, other] : [other, one];
    return {
      ...{ channel_id: String(scid), node1_pub, node2_pub, capacity: String(CAPACITY / 1000n) },
      ...{ node1_policy: policy, node2_policy: policy },
    };
  });
}

export { A, AB, B, BC, C, CAPACITY, directionFrom, OWN_ID, START_HEIGHT };
