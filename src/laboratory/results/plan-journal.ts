/**
 * The plans of a run, so that an interrupted run can continue: searches take most of a run's time, and everything else
 * is replayed with the same random draws. The file `plans.journal` has a header with the SHA-256 of the scenario and
 * its inputs, followed by a record for each plan, in the order in which the run received them. A record consists of its
 * length (u32, little-endian) and a msgpack value. An incomplete record is ignored.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Packr } from 'msgpackr/pack';
import { FulguriteError } from '../../model/errors.ts';
import type { Plan, PlannedRoute } from '../routers/router.ts';
import { AppendedFile } from './appended-file.ts';

/** Name of the file in the folder of results. */
export const PLANS_FILE = 'plans.journal';

/** A plan, identified by its world (numbered from 0), its payment and its round. */
export interface RecordedPlan {
  readonly world: number;
  readonly payment: number;
  readonly round: number;
  readonly plan: Plan;
}

type RecordedRoute = [number[], bigint[], number[], number | null];
type PackedPlan = [
  world: number,
  payment: number,
  round: number,
  probabilityPpm: number | null,
  reason: 'noRoute' | 'routerFailed' | null,
  routes: RecordedRoute[],
];

/** Maximum length of a record. A larger length shows that the file is damaged. */
const MAX_RECORD_BYTES = 1 << 20;
const READ_BYTES = 1 << 18;
const LENGTH_BYTES = 4;

const packr = new Packr({ useRecords: false, int64AsType: 'bigint' });

/** Identifies the run of a journal: a hash of the resolved scenario and its inputs. */
export function journalIdentity(scenarioJson: string, inputs: Readonly<Record<string, string>>): string {
  return createHash('sha256')
    .update(scenarioJson)
    .update(JSON.stringify(Object.entries(inputs).sort()))
    .digest('hex');
}

/** Appends plans to a journal. */
export class PlanJournal {
  readonly #file: AppendedFile;

  /**
   * Starts a journal, or continues an existing one.
   * @param keepBytes how much of an existing journal to keep
   * @throws FulguriteError `storeFailed`
   */
  constructor(path: string, identity: string, keepBytes = 0) {
    this.#file = new AppendedFile(path, keepBytes);
    if (keepBytes === 0) this.#file.append(framed(identity));
  }

  /** @throws FulguriteError `storeFailed` */
  add({ world, payment, round, plan }: RecordedPlan): void {
    const packed: PackedPlan = [
      world,
      payment,
      round,
      plan.probabilityPpm ?? null,
      plan.reason ?? null,
      plan.routes.map(({ directions, amountsMsat, expiries, probabilityPpm }) => [
        [...directions],
        [...amountsMsat],
        [...expiries],
        probabilityPpm ?? null,
      ]),
    ];
    this.#file.append(framed(packed));
  }

  /** Writes the buffered plans and closes the file. @throws FulguriteError `storeFailed` */
  close(): void {
    this.#file.close();
  }
}

function framed(value: unknown): Buffer {
  const payload = packr.pack(value);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  payload.copy(frame, LENGTH_BYTES);
  return frame;
}

/** Reads the plans of a journal in order, up to the first incomplete record. */
export class RecordedPlans {
  /** Total bytes of the header and all complete records. */
  readonly wholeBytes: number;
  readonly #fd: number;
  #bytes: number;
  /** Bytes that were read but not used yet. */
  #block: Buffer = Buffer.alloc(0);
  #readTo = 0;

  /** @throws FulguriteError `scenario` for a journal of a different scenario or different inputs */
  constructor(path: string, identity: string) {
    this.#fd = openSync(path, 'r');
    this.#bytes = fstatSync(this.#fd).size;
    this.wholeBytes = this.#measured();
    this.#bytes = this.wholeBytes;
    // The run may have been interrupted before the header was on disk. Then there are no plans, of any scenario.
    if (this.wholeBytes === 0) return;
    const found = this.#record();
    if (found === identity) return;
    closeSync(this.#fd);
    throw new FulguriteError(
      'scenario',
      `${path}: the interrupted run had a different scenario or different inputs`,
      {
        file: path,
        field: '',
        expected: identity,
        found: String(found),
      },
    );
  }

  /** The next plan, or undefined at the end. */
  next(): RecordedPlan | undefined {
    const record = this.#record() as PackedPlan | undefined;
    if (record === undefined) return undefined;
    const [world, payment, round, probabilityPpm, reason, routes] = record;
    return {
      world,
      payment,
      round,
      plan: {
        routes: routes.map(routeOf),
        probabilityPpm: probabilityPpm ?? undefined,
        ...(reason !== null && { reason }),
      },
    };
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Measures the bytes up to the first incomplete record, and then returns to the beginning of the file. */
  #measured(): number {
    let whole = 0;
    for (;;) {
      if (!this.#has(LENGTH_BYTES)) break;
      const length = LENGTH_BYTES + this.#block.readUInt32LE(0);
      if (length > MAX_RECORD_BYTES || !this.#has(length)) break;
      this.#block = this.#block.subarray(length);
      whole += length;
    }
    this.#block = Buffer.alloc(0);
    this.#readTo = 0;
    return whole;
  }

  #record(): unknown {
    if (!this.#has(LENGTH_BYTES)) return undefined;
    const length = LENGTH_BYTES + this.#block.readUInt32LE(0);
    if (!this.#has(length)) return undefined;
    const value: unknown = packr.unpack(this.#block.subarray(LENGTH_BYTES, length));
    this.#block = this.#block.subarray(length);
    return value;
  }

  /** Reads until this many bytes are buffered. @returns false if the file ends earlier */
  #has(length: number): boolean {
    if (this.#block.length >= length) return true;
    const wanted = Math.min(this.#bytes - this.#readTo, Math.max(READ_BYTES, length - this.#block.length));
    const fresh = Buffer.allocUnsafe(wanted);
    const read = readSync(this.#fd, fresh, 0, wanted, this.#readTo);
    this.#readTo += read;
    this.#block = Buffer.concat([this.#block, fresh.subarray(0, read)]);
    return this.#block.length >= length;
  }
}

const routeOf = ([directions, amountsMsat, expiries, probabilityPpm]: RecordedRoute): PlannedRoute => ({
  directions,
  amountsMsat: amountsMsat.map(BigInt),
  expiries,
  probabilityPpm: probabilityPpm ?? undefined,
});
