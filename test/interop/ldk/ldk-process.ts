/** An LDK node in a child process (ldk-node.mjs), for tests that need an independent peer. */

import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { NodeId } from '../../../src/model/node-id.ts';

/** Benchmarks run this file compiled, one folder deeper. Other files are not moved. */
const ROOT = new URL(import.meta.url.endsWith('.js') ? '../../../../' : '../../../', import.meta.url);

const installed = (name: string): boolean => existsSync(new URL(`node_modules/${name}/package.json`, ROOT));

/** Whether LDK is installed. Otherwise tests are skipped. */
export const haveLdk = installed('lightningdevkit') && installed('lightningdevkit-node-net');

export interface LdkPeer {
  readonly nodeId: NodeId;
  readonly features: string;
  readonly isInbound: boolean;
}

export class LdkProcess {
  readonly nodeId: NodeId;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  private nextId = 1;

  private constructor(child: ChildProcess, nodeId: NodeId) {
    this.child = child;
    this.nodeId = nodeId;
  }

  /** Starts a node whose keys are derived from the seed byte. An unpayable node cannot issue invoices. */
  static async start(seed: number, kind?: 'unpayable'): Promise<LdkProcess> {
    const script = new URL('test/interop/ldk-node.mjs', ROOT).pathname;
    const child = fork(script, [String(seed), ...(kind ? [kind] : [])], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', () => reject(new Error('LDK did not start')));
    });
    const starting = new LdkProcess(child, '' as NodeId);
    starting.read();
    const id = await starting.ask<NodeId>('id');
    const node = new LdkProcess(child, id);
    child.removeAllListeners('message').removeAllListeners('exit');
    node.read();
    return node;
  }

  /** Sends a command of ldk-node.mjs. @throws LDK's error, or an error if its process has ended */
  ask<T>(command: string, parameters: object = {}): Promise<T> {
    const id = this.nextId++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.send({ id, command, ...parameters });
    });
  }

  peers(): Promise<LdkPeer[]> {
    return this.ask('peers');
  }

  /** Suspends the process with its connections open, or resumes it. */
  freeze(isFrozen: boolean): void {
    this.child.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
  }

  /** Waits for the process to end. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }

  private read(): void {
    this.child.on('message', (answer: { id: number; result: unknown; error?: string }) => {
      const asked = this.waiting.get(answer.id);
      this.waiting.delete(answer.id);
      if (answer.error === undefined) asked?.resolve(answer.result as never);
      else asked?.reject(new Error(answer.error));
    });
    this.child.on('exit', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('the LDK process ended'));
      this.waiting.clear();
    });
  }
}
