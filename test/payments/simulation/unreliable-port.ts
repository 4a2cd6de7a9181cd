/**
 * One of our nodes as a separate process that can stop at any moment. While stopped, it does not answer. When
 * it is back, it reports the outcomes of its HTLCs. Only then is it known whether an HTLC that was being
 * handed over had left.
 */
import { FulguriteError } from '../../../src/model/errors.ts';
import type {
  HtlcKey,
  HtlcOutcome,
  HtlcState,
  NetworkPort,
  OutcomeListener,
  OutgoingHtlc,
  OwnChannelReport,
  TakenHtlc,
} from '../../../src/network/port.ts';

const AWAY = 'the node does not respond';

/** The methods that this port replaces in the underlying port. */
type Own =
  | 'capabilities'
  | 'nodeBehind'
  | 'send'
  | 'onOutcome'
  | 'outcomes'
  | 'ownChannelRecords'
  | 'ownChannels';

/** A port whose node can be away. */
export class UnreliablePort {
  /** Called with each HTLC just before it is handed to the network. */
  onSend: (htlc: OutgoingHtlc) => void = () => undefined;
  readonly port: NetworkPort;
  #isAway = false;
  readonly #listeners = new Set<OutcomeListener>();
  /** Outcomes that arrived while the node was away. */
  #kept: [attemptId: string, outcome: HtlcOutcome][] = [];

  /**
   * @param draw returns a random number in [0, 1), used for instance to decide whether an HTLC leaves when
   *   the node stops during the handover
   */
  constructor(below: NetworkPort, draw: () => number) {
    const { identity } = below;
    below.onOutcome((attemptId, outcome) => this.#tell(attemptId, outcome));
    // As with a separate process, the channels are those of the last report. This also saves most of the
    // test's time.
    let report: OwnChannelReport | undefined;
    below.onOwnChannels(() => {
      report = undefined;
    });
    const own: Pick<NetworkPort, Own> = {
      // As with a real node, sending the same HTLC twice is not safe.
      capabilities: { ...below.capabilities, repeatsSends: false },
      nodeBehind: () => ({
        ...{ nodeId: identity.nodeId, alias: '', color: '000000', version: '1', details: async () => ({}) },
        ...(this.#isAway && { problem: AWAY }),
      }),
      send: async (htlc: OutgoingHtlc): Promise<TakenHtlc> => {
        this.#requirePresent();
        if (draw() < 0.02) this.stop();
        if (this.#isAway && draw() < 0.5) throw away();
        this.onSend(htlc);
        const taken = await below.send(htlc);
        this.#requirePresent();
        return taken;
      },
      onOutcome: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      outcomes: async (keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>> => {
        this.#requirePresent();
        const states = await below.outcomes(keys);
        // The simulation knows every HTLC that it received.
        const known = (state: HtlcState): HtlcState =>
          state.status === 'unknown' ? { status: 'neverLeft' } : state;
        return new Map([...states].map(([attemptId, state]) => [attemptId, known(state)]));
      },
      ownChannels: () => {
        report ??= below.ownChannels();
        return report;
      },
      ownChannelRecords: async () => {
        this.#requirePresent();
        return below.ownChannelRecords();
      },
    };
    this.port = new Proxy(below, {
      get: (target, name) => {
        if (name in own) return own[name as Own];
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  stop(): void {
    this.#isAway = true;
  }

  start(): void {
    this.#isAway = false;
    const kept = this.#kept;
    this.#kept = [];
    for (const [attemptId, outcome] of kept) this.#tell(attemptId, outcome);
  }

  #tell(attemptId: string, outcome: HtlcOutcome): void {
    if (this.#isAway) this.#kept.push([attemptId, outcome]);
    else for (const listener of this.#listeners) listener(attemptId, outcome);
  }

  #requirePresent(): void {
    if (this.#isAway) throw away();
  }
}

const away = (): FulguriteError => new FulguriteError('nodeAway', AWAY);
