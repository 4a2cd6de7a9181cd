/**
 * The messages between the main thread and the thread of a simulated network, in msgpack. Each side sends at most one
 * message per turn of its event loop, with everything from that turn.
 */
import { Packr, RESET_BUFFER_MODE } from 'msgpackr/pack';
import type { OnionMessage } from '../../bolt/onion/onion-message.ts';
import { asList, fromList, membersOf } from '../../model/as-list.ts';
import type { ErrorName } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { PolicyTerms } from '../../model/policy.ts';
import type { HtlcOutcome, NetworkIdentity, OwnChannelReport } from '../port.ts';
import type { HtlcOffer } from './htlc.ts';
import type { NetworkMap } from './network-map.ts';
import type { SimulationOptions } from './options.ts';
import type { Simulation } from './simulation.ts';

/** Methods of the simulation that the main thread may call. */
export const CONTROLS = [
  'lookUpHtlcs',
  'sentHtlcs',
  'ownChannelRecords',
  'connect',
  'setTrait',
  'setHeight',
  'setHeightOffset',
  'setPolicy',
  'policy',
  'addInvoice',
  'issueInvoice',
  'payUs',
  'balanceMsat',
  'stats',
  'logDigest',
  'checkConservation',
] as const satisfies readonly (keyof Simulation)[];

/** The name of a simulation method that the main thread may call. */
export type ControlName = (typeof CONTROLS)[number];

/** A message from the main thread to the network's thread. */
export type ToNetwork =
  | readonly [kind: 'offer', offer: HtlcOffer]
  | readonly [kind: 'message', to: NodeId, message: OnionMessage]
  | readonly [kind: 'control', id: number, name: ControlName, args: readonly unknown[]];

/** The result of a call, or its error. */
export type ControlReply =
  | readonly [id: number, result: unknown]
  | readonly [id: number, result: null, error: ErrorName, message: string];

/** Everything that the network's thread reports in one turn. */
export interface FromNetwork {
  /** Only in the first message. */
  readonly identity?: NetworkIdentity;
  readonly height: number;
  /** Present only when the channels have changed. */
  readonly channels?: OwnChannelReport;
  readonly taken: readonly (readonly [attemptId: string, channelsRevision: number])[];
  readonly outcomes: readonly (readonly [attemptId: string, outcome: HtlcOutcome])[];
  readonly messages: readonly (readonly [from: NodeId, message: OnionMessage])[];
  readonly replies: readonly ControlReply[];
}

/** The data with which the thread is started. */
export interface NetworkThreadData {
  /** The module that acts for the nodes when they receive messages or payments. Undefined: no node answers them. */
  readonly handlerModule?: string | undefined;
  readonly map: NetworkMap;
  readonly options: Omit<SimulationOptions, 'onEvent'>;
  readonly journalPath: string | undefined;
  /** Whether to continue with a damaged journal. */
  readonly recover?: boolean;
}

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** A copy of the packed value. The packer's own memory is used again for the next value. */
function packed(value: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(packr.pack(value, RESET_BUFFER_MODE));
}

/** Encodes a message of the main thread into a separate buffer, which can be transferred between threads. */
export function encodeToNetwork(requests: readonly ToNetwork[]): Uint8Array<ArrayBuffer> {
  return packed(requests);
}

/** Decodes a message of the main thread. The bytes come from our own encoder and are not checked. */
export function decodeToNetwork(bytes: Uint8Array): readonly ToNetwork[] {
  return packr.unpack(bytes) as readonly ToNetwork[];
}

/**
 * Encodes a message of the network's thread. Our channels are packed as lists instead of objects, since most reports
 * include them.
 */
export function encodeFromNetwork({ channels, ...report }: FromNetwork): Uint8Array<ArrayBuffer> {
  return packed(channels === undefined ? report : { channels: channelLists(channels), ...report });
}

/** Decodes a message of the network's thread. The bytes come from our own encoder and are not checked. */
export function decodeFromNetwork(bytes: Uint8Array): FromNetwork {
  const { channels, ...report } = packr.unpack(bytes) as PackedReport;
  return channels === undefined ? report : { channels: channelsOf(channels), ...report };
}

type PackedChannels = readonly [revision: number, ...channels: readonly unknown[][]];
type PackedReport = Omit<FromNetwork, 'channels'> & { readonly channels?: PackedChannels };

const CHANNEL_MEMBERS = membersOf<OwnChannel>()(
  'localPolicy',
  'remotePolicy',
  'peerId',
  'shortChannelId',
  'capacityMsat',
  'spendableMsat',
  'receivableMsat',
  'theirMaxInFlightMsat',
  'ourMaxInFlightMsat',
  'freeHtlcs',
  'usable',
  'openedByUs',
  'feeratePerKw',
  'ownNodeId',
  'channelId',
);
/** Number of policies of a channel. They are its first members, and each is packed as a list too. */
const POLICIES = 2;

const POLICY_MEMBERS = membersOf<PolicyTerms>()(
  'htlcMinimumMsat',
  'htlcMaximumMsat',
  'feeBaseMsat',
  'feeProportionalMillionths',
  'cltvExpiryDelta',
);

function channelLists({ revision, channels }: OwnChannelReport): PackedChannels {
  return [
    revision,
    ...channels.map((channel) => {
      const { localPolicy, remotePolicy } = channel;
      const policies = [localPolicy, remotePolicy].map((policy) => policy && asList(POLICY_MEMBERS, policy));
      return [...policies, ...asList(CHANNEL_MEMBERS.slice(POLICIES), channel)];
    }),
  ];
}

function channelsOf([revision, ...channels]: PackedChannels): OwnChannelReport {
  return {
    revision,
    channels: channels.map((list) => {
      for (let at = 0; at < POLICIES; at++) {
        if (list[at] !== undefined) list[at] = fromList<PolicyTerms>(POLICY_MEMBERS, list[at] as unknown[]);
      }
      return fromList<OwnChannel>(CHANNEL_MEMBERS, list);
    }),
  };
}

/** The outcome with plain byte arrays instead of msgpack's Buffers. */
export function plainOutcome(outcome: HtlcOutcome): HtlcOutcome {
  if (outcome.status === 'refused' || outcome.status === 'decoded') return outcome;
  const attribution = outcome.attribution && { attribution: plainBytes(outcome.attribution) };
  return outcome.status === 'settled'
    ? { ...outcome, preimage: plainBytes(outcome.preimage), ...attribution }
    : { ...outcome, packet: plainBytes(outcome.packet), ...attribution };
}

/** The message with plain byte arrays instead of Buffers. */
export function plainMessage({ pathKey, packet }: OnionMessage): OnionMessage {
  return { pathKey: plainBytes(pathKey), packet: plainBytes(packet) };
}

/** The same bytes as a plain array, without a copy. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
