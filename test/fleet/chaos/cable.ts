/**
 * Gives one process its own machine, as far as the network is concerned: a Linux network namespace with a
 * cable to this machine (a pair of virtual interfaces). While the cable is cut, frames vanish silently, on
 * open connections and on new ones: each end has a wrong hardware address for its peer, so it drops the
 * frames that arrive.
 *
 *     this machine  10.213.N.1 ─── fgPIDa │ fgPIDb ─── 10.213.N.2  namespace fgPID
 *
 * This needs root and the programs `ip` and `nsenter`. If the system refuses, `plugIn` throws with the
 * reason.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An address that no interface has. */
const NOBODY = '02:00:00:00:00:01';

/** The error if no namespace is available. */
export class NoNamespace extends Error {}

/** One namespace and its cable. */
export class Cable {
  readonly #namespace: string;
  /** Addresses of our end and of the far end. */
  readonly address: string;
  readonly #farAddress: string;
  readonly #near: string;
  readonly #far: string;

  private constructor(id: number) {
    this.#namespace = `fg${id}`;
    [this.#near, this.#far] = [`fg${id}a`, `fg${id}b`];
    // 16,384 nets of four addresses each.
    const net = (id % 16_384) * 4;
    [this.address, this.#farAddress] = [1, 2].map((n) => `10.213.${net >> 8}.${(net & 255) + n}`) as [
      string,
      string,
    ];
  }

  /** Makes a namespace for this process. @throws NoNamespace with the system's message */
  static async plugIn(): Promise<Cable> {
    const cable = new Cable(process.pid);
    try {
      await cable.#make();
    } catch (error) {
      await cable.close();
      const { stderr = '', message } = error as { stderr?: string; message: string };
      throw new NoNamespace((stderr || message).trim().split('\n').at(-1));
    }
    return cable;
  }

  /** Removes the leftovers of runs that were killed. */
  static async #sweep(): Promise<void> {
    const { stdout } = await run('ip', ['netns', 'list']);
    for (const [, namespace, id] of stdout.matchAll(/^(fg(\d+))\b/gm)) {
      if (!existsSync(`/proc/${id}`)) await ip('netns', 'del', namespace!).catch(() => undefined);
    }
  }

  async #make(): Promise<void> {
    await Cable.#sweep();
    const [namespace, near, far] = [this.#namespace, this.#near, this.#far];
    await ip('netns', 'add', namespace);
    await ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', namespace);
    await ip('addr', 'add', `${this.address}/30`, 'dev', near);
    await ip('-n', namespace, 'addr', 'add', `${this.#farAddress}/30`, 'dev', far);
    await ip('link', 'set', near, 'up');
    await ip('-n', namespace, 'link', 'set', far, 'up');
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    // Checks whether a program can enter the namespace.
    await run('nsenter', [...this.#enter, 'true']);
  }

  get #enter(): string[] {
    return [`--net=/run/netns/${this.#namespace}`];
  }

  /**
   * A command line that runs a program at the far end. The process id of the command is that of the program.
   */
  there(program: string, args: readonly string[]): { readonly program: string; readonly args: string[] } {
    return { program: 'nsenter', args: [...this.#enter, program, ...args] };
  }

  /** From now on no frames pass, or only those from the far end. */
  async cut(what: 'answers' | 'everything' = 'everything'): Promise<void> {
    await ip('neigh', 'replace', this.#farAddress, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', this.#near);
    if (what === 'answers') return;
    const there = ['-n', this.#namespace, 'neigh', 'replace', this.address];
    await ip(...there, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', this.#far);
  }

  /** Everything passes again, also on connections that were open before the cut. */
  async mend(): Promise<void> {
    await ip('neigh', 'del', this.#farAddress, 'dev', this.#near).catch(() => undefined);
    await ip('-n', this.#namespace, 'neigh', 'del', this.address, 'dev', this.#far).catch(() => undefined);
  }

  async close(): Promise<void> {
    await ip('link', 'del', this.#near).catch(() => undefined);
    await ip('netns', 'del', this.#namespace).catch(() => undefined);
  }
}

async function ip(...args: string[]): Promise<void> {
  await run('ip', args);
}
