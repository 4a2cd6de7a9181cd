/**
 * Two whole nodes of the Rust crate lightning (LDK 0.2) in one program: S, which serves static invoices, and
 * R, an async recipient with a channel to S.
 *
 * The program listens on loopback, and prints one line of JSON per event: `ready` with `node_id` and `port`
 * of S and the `offer` of R, then `invoice_served`, `message_kept`, `claimable`, `claimed`, `htlc_failed`. It
 * accepts one command per line, and answers each with `done`: `online` and `offline` for R; `forget` and
 * `keep` for messages to R that S receives while R is offline; `refuse` and `claim` for payments to R.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { until } from '../cln/cln-nodes.ts';

export interface Told {
  readonly event: string;
  readonly command?: string;
  readonly payment_hash?: string;
  readonly amount_msat?: number;
  readonly offer?: string;
  readonly node_id?: string;
  readonly port?: number;
}

/** The two LDK nodes. */
export class AsyncRecipient {
  readonly told: Told[] = [];
  readonly #process: ChildProcess;

  /** @param seed determines the keys of both nodes */
  constructor(program: string, seed = 1) {
    this.#process = spawn(program, ['async', String(seed)], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#process.stdout! }).on('line', (line) => this.told.push(JSON.parse(line)));
  }

  async ready(): Promise<Required<Pick<Told, 'node_id' | 'port' | 'offer'>>> {
    await until(async () => this.of('ready').length > 0);
    return this.of('ready')[0] as Required<Pick<Told, 'node_id' | 'port' | 'offer'>>;
  }

  of(event: string): Told[] {
    return this.told.filter((one) => one.event === event);
  }

  async do(command: string): Promise<void> {
    const before = this.of('done').length;
    this.#process.stdin!.write(`${command}\n`);
    await until(async () => this.of('done').length > before);
  }

  end(): void {
    this.#process.stdin!.end();
  }
}
