/**
 * Shared parts of the tests of the LND network: a stand-in, the adapter connected to it, and HTLCs to send.
 */

import { toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { msat } from '../../../src/model/msat.ts';
import { parseNodeId } from '../../../src/model/node-id.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { GrpcClient } from '../../../src/network/lnd/client/grpc-client.ts';
import { LndGraph } from '../../../src/network/lnd/graph/node-graph.ts';
import { LndNetwork } from '../../../src/network/lnd/lnd-network.ts';
import { LndLink } from '../../../src/network/lnd/node-link.ts';
import { DEFAULT_TIMING, type LndTiming } from '../../../src/network/lnd/timing.ts';
import { NoneNetwork } from '../../../src/network/none/index.ts';
import type { HtlcOutcome, OutgoingHtlc } from '../../../src/network/port.ts';
import { A, AB, B, type LineLnd, lineLnd, OWN_ID, START_HEIGHT } from '../../lnd/line-lnd.ts';
import type { LndStandInOptions } from '../../lnd/stand-in.ts';

/** Wait times that are short enough for tests, and long enough for a busy machine. */
export const QUICK: LndTiming = {
  ...DEFAULT_TIMING,
  callMs: 10_000,
  graphMs: 10_000,
  pollMs: 40,
  troubledMs: 20,
  silenceMs: 200,
  firstRetryMs: 10,
  lastRetryMs: 40,
  returnMs: 300,
  refreshMs: 200,
  peersMs: 60_000,
  fenceMs: 20,
  coalesceMs: 1,
  firstDoubtMs: 10,
  lastDoubtMs: 40,
  openSetMs: 20,
  publishMs: 1,
};

/** The adapter connected to a stand-in, with its reports. */
export interface BesideLnd extends LineLnd {
  readonly network: LndNetwork;
  readonly link: LndLink;
  readonly told: [string, HtlcOutcome][];
  readonly logged: string[];
  /** Stops the adapter and the stand-in. */
  readonly end: () => Promise<void>;
}

/** The address of the stand-in. */
export const placeOf = ({ node, certPath, macaroonPath }: LineLnd) => ({
  address: node.address,
  certPath,
  macaroonPath,
});

/** A log that keeps everything above debug level. */
export function keptLog() {
  const lines: string[] = [];
  const log = {
    debug: () => undefined,
    info: (text: string) => void lines.push(`info: ${text}`),
    unusual: (text: string) => void lines.push(text),
    broken: (text: string) => void lines.push(`broken: ${text}`),
  };
  return { lines, log };
}

/** Connects to a stand-in. @throws the errors of `LndLink.open` */
export function linkTo(all: LineLnd, timing = QUICK): Promise<LndLink> {
  const calls = new GrpcClient(placeOf(all));
  return LndLink.open({ calls, where: all.node.address, log: keptLog().log, timing }).catch(async (error) => {
    await calls.close();
    throw error;
  });
}

/** A started stand-in with the adapter connected to it. */
export async function besideLnd(
  options: Partial<LndStandInOptions> = {},
  timing: LndTiming = QUICK,
): Promise<BesideLnd> {
  const all = lineLnd(options);
  await all.node.start();
  const { lines: logged, log } = keptLog();
  const calls = new GrpcClient(placeOf(all));
  const link = await LndLink.open({ calls, where: all.node.address, log, timing });
  const messages = new NoneNetwork({ nodeId: OWN_ID, chainHash: CHAIN_HASHES.bitcoin });
  const network = await LndNetwork.open({ link, messages, log, timing });
  const told: [string, HtlcOutcome][] = [];
  network.onOutcome((attemptId, outcome) => void told.push([attemptId, outcome]));
  const end = async (): Promise<void> => {
    await network.close();
    all.close();
  };
  return { ...all, network, link, told, logged, end };
}

/** The graph of a stand-in. */
export const graphOf = (link: LndLink): Promise<LndGraph> =>
  LndGraph.open({ link, log: keptLog().log, timing: { ...QUICK, graphMs: DEFAULT_TIMING.graphMs } });

/** An HTLC with its preimage. */
export interface Sent {
  readonly htlc: OutgoingHtlc;
  readonly preimage: Uint8Array;
  readonly hash: string;
}

let next = 0;

/** A keysend of 5,000 msat to B over two hops, with an unused preimage. A takes 1,000 msat. */
export function keysendTo({ ours }: Pick<LineLnd, 'ours'>, more: Partial<OutgoingHtlc> = {}): Sent {
  const preimage = new Uint8Array(32);
  new DataView(preimage.buffer).setUint32(0, ++next);
  const hop = (nodeId: string, scid: ShortChannelId, amountMsat: bigint, blocks: number) => ({
    nodeId: parseNodeId(nodeId)!,
    shortChannelId: scid,
    amountMsat: msat(amountMsat),
    cltvExpiry: START_HEIGHT + blocks,
  });
  const paymentHash = more.paymentHash ?? sha256(preimage);
  return {
    preimage,
    hash: toHex(paymentHash),
    htlc: {
      attemptId: next.toString(16).padStart(32, '0'),
      paymentHash,
      groupId: 1n,
      partId: 1,
      path: [hop(A, ours, 6_000n, 60), hop(B, AB, 5_000n, 20)],
      finalPayload: { keysendPreimage: preimage },
      sessionKey: new Uint8Array(32).fill(5),
      ...more,
    },
  };
}
