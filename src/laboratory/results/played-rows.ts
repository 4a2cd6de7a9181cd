/**
 * The data of payments for the figures, in columns of numbers. A run may have a million payments, so each payment takes
 * only about 40 bytes.
 */

/** The data of a payment. */
export interface PlayedRow {
  readonly id: number;
  readonly isComplete: boolean;
  readonly amountMsat: number;
  /** Fee paid in msat. 0 unless the payment completed. */
  readonly feeMsat: number;
  readonly attempts: number;
  readonly settleUs: number;
}

const FIRST_ROOM = 1024;

/** Rows of payments, numbered from 0 in the order in which they were added. */
export class PlayedRows {
  #count = 0;
  #id = new Uint32Array(FIRST_ROOM);
  #isComplete = new Uint8Array(FIRST_ROOM);
  #amountMsat = new Float64Array(FIRST_ROOM);
  #feeMsat = new Float64Array(FIRST_ROOM);
  #attempts = new Uint16Array(FIRST_ROOM);
  #settleUs = new Float64Array(FIRST_ROOM);

  get length(): number {
    return this.#count;
  }

  add({ id, isComplete, amountMsat, feeMsat, attempts, settleUs }: PlayedRow): void {
    if (this.#count === this.#id.length) this.#grow();
    const row = this.#count++;
    this.#id[row] = id;
    this.#isComplete[row] = Number(isComplete);
    this.#amountMsat[row] = amountMsat;
    this.#feeMsat[row] = feeMsat;
    this.#attempts[row] = attempts;
    this.#settleUs[row] = settleUs;
  }

  id(row: number): number {
    return this.#id[row]!;
  }

  isComplete(row: number): boolean {
    return this.#isComplete[row] === 1;
  }

  amountMsat(row: number): number {
    return this.#amountMsat[row]!;
  }

  attempts(row: number): number {
    return this.#attempts[row]!;
  }

  settleUs(row: number): number {
    return this.#settleUs[row]!;
  }

  /** Fee of a completed payment, in ppm of its amount. */
  feePpm(row: number): number {
    return (1e6 * this.#feeMsat[row]!) / this.#amountMsat[row]!;
  }

  /** The numbers of all rows, in the order of payment numbers. */
  inOrder(): Uint32Array {
    const rows = Uint32Array.from({ length: this.#count }, (_, row) => row);
    return rows.sort((a, b) => this.#id[a]! - this.#id[b]!);
  }

  #grow(): void {
    const room = 2 * this.#id.length;
    this.#id = extended(this.#id, new Uint32Array(room));
    this.#isComplete = extended(this.#isComplete, new Uint8Array(room));
    this.#amountMsat = extended(this.#amountMsat, new Float64Array(room));
    this.#feeMsat = extended(this.#feeMsat, new Float64Array(room));
    this.#attempts = extended(this.#attempts, new Uint16Array(room));
    this.#settleUs = extended(this.#settleUs, new Float64Array(room));
  }
}

function extended<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  column: T,
  longer: NoInfer<T>,
): T {
  longer.set(column);
  return longer;
}
