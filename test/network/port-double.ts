/** A network whose own channels a test can change. */
import type { NodeId } from '../../src/model/node-id.ts';
import type { OwnChannel } from '../../src/model/own-channel.ts';
import { NoneNetwork } from '../../src/network/none/index.ts';
import type { OwnChannelReport } from '../../src/network/port.ts';

export class PortDouble extends NoneNetwork {
  readonly #listeners = new Set<(report: OwnChannelReport) => void>();
  #report: OwnChannelReport = { revision: 0, channels: [] };

  constructor(nodeId: NodeId) {
    super({ nodeId, chainHash: new Uint8Array(32) });
  }

  override blockHeight(): number {
    return 100;
  }

  /** Replaces our channels and notifies listeners. */
  setChannels(channels: readonly OwnChannel[]): void {
    this.#report = { revision: this.#report.revision + 1, channels };
    for (const listener of this.#listeners) listener(this.#report);
  }

  override ownChannels(): OwnChannelReport {
    return this.#report;
  }

  override onOwnChannels(listener?: (report: OwnChannelReport) => void): () => void {
    if (listener === undefined) return () => undefined;
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
