/**
 * Attacks on a daemon, and hostile inputs to every parser that reads bytes before the sender's permission has been
 * checked. BENCH_ATTACKED names the `build/program/cli/main.js` of another build to attack, for comparison. The parsers
 * are then left out, because they are always those of this build.
 */
import { begin, end } from './attacked.ts';
import type { Area, BenchContext } from './context.ts';
import { GOSSIP_ATTACKS } from './gossip-attacks.ts';
import { hostileInputs, PARSERS } from './hostile-inputs.ts';
import { HTTP_ATTACKS } from './http-attacks.ts';
import { MONEY_ATTACKS } from './money-attacks.ts';
import { residentMb } from './processor.ts';
import { SECRET_ATTACKS } from './secret-attacks.ts';

const AREA = 'attacks';
/** Number of inputs for each parser. */
const INPUTS = 100_000;
const QUICK_INPUTS = 1000;
/** One in this many inputs has the parser's maximum length. */
const LONG_EVERY = 20;
/** Number of inputs between two readings of the process's memory. */
const MEMORY_EVERY = 50;
/** Target: maximum processor time of one input, in milliseconds. */
const TARGET_MS = 5;
/** An input above the target is read up to this many more times, because a garbage collection may have intervened. */
const AGAIN = 4;

/** Runs the sweep over the parsers, then the attacks. */
export const attacksBench: Area = async (context) => {
  if (process.env.BENCH_ATTACKED === undefined) sweep(context);
  await attack(context);
};

function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function sweep({ quick, report }: BenchContext): void {
  const each = quick ? QUICK_INPUTS : INPUTS;
  const rows = PARSERS.map(({ name, seeds, maxLength, read }) => {
    let [slowest, slowestLength, beyond, inputs, mostMb] = [0, 0, 0, 0, 0];
    global.gc?.();
    const beforeMb = residentMb(process.pid);
    const short = hostileInputs(seeds, each - Math.floor(each / LONG_EVERY));
    const long = hostileInputs(seeds, Math.floor(each / LONG_EVERY), maxLength);
    for (const made of inOrder(short, long)) {
      const input = asReceived(made);
      let ms = processorMs(() => read(input));
      for (let again = 0; ms > TARGET_MS && again < AGAIN; again++) {
        ms = Math.min(
          ms,
          processorMs(() => read(input)),
        );
      }
      inputs++;
      if (inputs % MEMORY_EVERY === 0) mostMb = Math.max(mostMb, residentMb(process.pid) - beforeMb);
      if (ms > TARGET_MS) beyond++;
      if (ms > slowest) [slowest, slowestLength] = [ms, input.length];
    }
    report.figure(AREA, { name: `slowest input: ${name}`, value: slowest, unit: 'ms' });
    return {
      parser: name,
      inputs,
      'slowest (ms)': slowest.toFixed(2),
      'its length': slowestLength,
      [`over ${TARGET_MS} ms`]: beyond,
      'memory grows by (MB)': mostMb.toFixed(0),
    };
  });
  report.table(AREA, 'processor time of hostile inputs', rows);
}

/** A text as a server receives it: decoded from bytes, and therefore not a chain of concatenated strings. */
const asReceived = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

function* inOrder(...all: Iterable<string>[]): Generator<string, void> {
  for (const inputs of all) yield* inputs;
}

async function attack({ report }: BenchContext): Promise<void> {
  const rows: { attack: string; harm: string }[] = [];
  for (const [name, harm] of [...MONEY_ATTACKS, ...HTTP_ATTACKS, ...SECRET_ATTACKS, ...GOSSIP_ATTACKS]) {
    const attacked = await begin();
    const told = await harm(attacked).catch((error: unknown) => `failed: ${String(error)}`);
    rows.push({ attack: name, harm: told });
    await end(attacked);
  }
  report.table(AREA, 'attacks on a daemon', rows);
}
