/**
 * Watches the block height of the node, through its chain notifier and by polling. After a reorganisation of the chain,
 * the notifier may report a lower height than before, so the newest message counts.
 */
import type { Log } from '../../rpc/log.ts';
import { BlockWatch } from '../block-watch.ts';
import { keepStream } from './client/kept-stream.ts';
import type { LndConnection, LndLink } from './node-link.ts';

/** Watches the block height of an LND node. */
export class LndBlockWatch extends BlockWatch<LndConnection> {
  readonly #link: LndLink;
  readonly #log: Log;

  constructor(link: LndLink, log: Log) {
    super(link);
    this.#link = link;
    this.#log = log;
    this.start();
  }

  protected follow(connection: LndConnection): void {
    keepStream<{ height: number }>(this.#link, connection, 'RegisterBlockEpochNtfn', {
      onMessage: ({ height }) => this.set(height),
      onEnd: ({ message }) => this.#log.debug(`block events ended: ${message}`),
      onRefused: ({ message }) =>
        this.#log.unusual(`no block events: ${message}; polling the height every few seconds`),
    });
  }

  protected override set(height: number): void {
    if (height !== 0) super.set(height);
  }
}
