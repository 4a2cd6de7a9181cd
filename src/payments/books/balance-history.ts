/**
 * The amounts that each of our nodes could send and receive over the last thirty days, sampled every five minutes and
 * stored as one record per node and day. A node that does not respond has a gap in its samples.
 *
 * Daemons that share a database write to the same records. Before its first sample of a day, a daemon reads the samples
 * that the day already has, so none are lost when one daemon replaces another.
 */
import type { Clock } from '../../model/clock.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnNode, OwnNodes } from '../../network/several/index.ts';
import type { RecordRepository } from '../../store/record-repository.ts';

/** The amounts that a node could send and receive at one time. */
export interface BalanceSample {
  /** UNIX seconds. */
  readonly atS: number;
  readonly spendableMsat: bigint;
  readonly receivableMsat: bigint;
}

/** Number of days for which samples are stored. */
export const KEPT_DAYS = 30;
const SAMPLE_MS = 300_000;
const DAY_S = 86_400;

/** The source of the samples, and their store. */
export interface BalanceHistoryOptions {
  readonly repository: RecordRepository;
  readonly nodes: OwnNodes;
  readonly clock: Clock;
  readonly log: { unusual(message: string): void };
}

/** Samples the balances of our nodes. */
export class BalanceHistory {
  readonly #options: BalanceHistoryOptions;
  /** By node: the day of its latest sample, and the samples of that day. */
  readonly #today = new Map<NodeId, { readonly day: number; readonly samples: BalanceSample[] }>();
  #endTimer: () => void = () => undefined;
  #isClosed = false;
  #isFailing = false;

  constructor(options: BalanceHistoryOptions) {
    this.#options = options;
  }

  /** Takes the first sample, and then one every five minutes. */
  async start(): Promise<void> {
    await this.#sampleAll();
    if (!this.#isClosed) this.#endTimer = this.#options.clock.after(SAMPLE_MS, () => void this.start());
  }

  /** The current time in UNIX seconds, by the clock that dates the samples. */
  nowS(): number {
    return Math.floor(this.#options.clock.nowMs() / 1000);
  }

  /** Samples of a node taken at `fromS` (UNIX seconds) or later, oldest first. @throws FulguriteError storeFailed */
  async since(nodeId: NodeId, fromS: number): Promise<BalanceSample[]> {
    const firstDay = dayOf(fromS);
    const before = idOf(nodeId, firstDay - 1);
    const records = await this.#options.repository.records('balance', before, KEPT_DAYS + 2);
    return records
      .filter(({ id }) => id.startsWith(`${nodeId} `))
      .flatMap(({ body }) => samplesOf(body))
      .filter(({ atS }) => atS >= fromS);
  }

  close(): void {
    this.#isClosed = true;
    this.#endTimer();
  }

  /**
   * Samples every node that has no problem. An error ends the round, and leaves gaps. If several rounds in a row fail,
   * only the first error is logged.
   */
  async #sampleAll(): Promise<void> {
    try {
      for (const node of this.#options.nodes.list) if (node.problem === undefined) await this.#sample(node);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#options.log.unusual(`cannot store balance samples: ${(error as Error).message}`);
      this.#isFailing = true;
    }
  }

  async #sample({ nodeId, spendableMsat, receivableMsat }: OwnNode): Promise<void> {
    const { repository, clock } = this.#options;
    const atS = Math.floor(clock.nowMs() / 1000);
    const id = idOf(nodeId, dayOf(atS));
    let today = this.#today.get(nodeId);
    if (today?.day !== dayOf(atS)) {
      const kept = await repository.record('balance', id);
      today = { day: dayOf(atS), samples: kept === undefined ? [] : samplesOf(kept.body) };
      this.#today.set(nodeId, today);
      await this.#forgetBefore(nodeId, dayOf(atS) - KEPT_DAYS);
    }
    today.samples.push({ atS, spendableMsat, receivableMsat });
    repository.putRecord('balance', { id, body: bodyOf(today.samples) });
  }

  async #forgetBefore(nodeId: NodeId, day: number): Promise<void> {
    const { repository } = this.#options;
    const first = idOf(nodeId, 0);
    for (const { id } of await repository.records('balance', first, 2 * KEPT_DAYS)) {
      if (id >= idOf(nodeId, day)) return;
      repository.removeRecord('balance', id);
    }
  }
}

const dayOf = (seconds: number): number => Math.floor(seconds / DAY_S);
/** The record's id for a node and day. Days have a fixed number of digits, so the ids of a node sort by day. */
const idOf = (nodeId: NodeId, day: number): string => `${nodeId} ${String(day).padStart(6, '0')}`;

type BalanceRow = readonly [atS: number, spendableMsat: string, receivableMsat: string];

const bodyOf = (samples: readonly BalanceSample[]): string =>
  JSON.stringify(
    samples.map(
      ({ atS, spendableMsat, receivableMsat }): BalanceRow => [
        atS,
        String(spendableMsat),
        String(receivableMsat),
      ],
    ),
  );

const samplesOf = (body: string): BalanceSample[] =>
  (JSON.parse(body) as BalanceRow[]).map(([atS, spendable, receivable]) => ({
    atS,
    spendableMsat: BigInt(spendable),
    receivableMsat: BigInt(receivable),
  }));

/** Reduces samples to at most `most` (at least 2), evenly spaced, including the first and the last. */
export function thinned(samples: readonly BalanceSample[], most: number): BalanceSample[] {
  if (samples.length <= most) return [...samples];
  return Array.from(
    { length: most },
    (_, at) => samples[Math.round((at * (samples.length - 1)) / (most - 1))]!,
  );
}
