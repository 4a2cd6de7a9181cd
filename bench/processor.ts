/**
 * Processor time of a process by its threads (Linux: `schedstat`). Other work on the machine disturbs it much less than
 * it disturbs latencies. Also the share of the machine's processor time that other virtual machines have taken
 * (`steal`).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const NS_PER_US = 1000;
const KB_PER_MB = 1024;

/** Whether this system reports processor times of threads. */
export const TELLS_THREADS = existsSync('/proc/self/schedstat');

/** Microseconds that each thread of a process has used, by the thread's id. The main thread has the process's id. */
export function threadTimesUs(pid: number): Map<number, number> {
  const times = new Map<number, number>();
  if (!TELLS_THREADS) return times;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      times.set(Number(thread), Number(text.split(' ')[0]) / NS_PER_US);
    } catch {
      // The thread ended meanwhile.
    }
  }
  return times;
}

/** Microseconds that a process used between two readings. */
export interface UsedTime {
  readonly mainUs: number;
  /** Each other thread, largest first. */
  readonly othersUs: readonly number[];
  /** All threads together. */
  readonly allUs: number;
}

/** What a process used while `work` ran. NaN if the system does not report it. */
export async function usedBy<T>(pid: number, work: () => Promise<T>): Promise<UsedTime & { result: T }> {
  const before = threadTimesUs(pid);
  const result = await work();
  if (!TELLS_THREADS) return { mainUs: Number.NaN, othersUs: [], allUs: Number.NaN, result };
  let mainUs = 0;
  const othersUs: number[] = [];
  for (const [thread, us] of threadTimesUs(pid)) {
    const used = us - (before.get(thread) ?? 0);
    if (thread === pid) mainUs = used;
    else othersUs.push(used);
  }
  othersUs.sort((a, b) => b - a);
  return { mainUs, othersUs, allUs: othersUs.reduce((sum, us) => sum + us, mainUs), result };
}

/** Resident memory of a process, in MB (Linux). */
export function residentMb(processId: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1];
  return Number(kb) / KB_PER_MB;
}

/**
 * Processor time of the machine since it started, in ticks: all of it, and what the hypervisor gave to other machines.
 */
export interface MachineTicks {
  readonly all: number;
  readonly stolen: number;
}

/** A reading of `/proc/stat`. Zeros if there is none. */
export function machineTicks(): MachineTicks {
  if (!existsSync('/proc/stat')) return { all: 0, stolen: 0 };
  // cpu user nice system idle iowait irq softirq steal guest guest_nice; user and nice include the guest times.
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!;
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 };
}

/** Percent of the machine's processor time that other virtual machines took between two readings. */
export function stealPercent(from: MachineTicks, to: MachineTicks): number {
  return to.all === from.all ? 0 : (100 * (to.stolen - from.stolen)) / (to.all - from.all);
}
