/**
 * Watches the block height of the node, which the node reports at each block (`waitblockheight`). A lower height is
 * noticed at the next poll.
 */
import { FulguriteError } from '../../model/errors.ts';
import { BlockWatch } from '../block-watch.ts';
import { NodeError } from './answer.ts';
import type { NodeConnection, NodeLink } from './node-link.ts';

/** Seconds that one call may stay open before it is repeated. */
const WAIT_S = 600;
/** Error code of `waitblockheight` when its timeout expires. */
const TIMED_OUT = 2000;

/** Watches the block height of a Core Lightning node. */
export class ClnBlockWatch extends BlockWatch<NodeConnection> {
  constructor(link: NodeLink) {
    super(link);
    this.start();
  }

  protected follow(connection: NodeConnection): void {
    void this.#follow(connection);
  }

  async #follow({ socket }: NodeConnection): Promise<void> {
    while (socket.isOpen) {
      try {
        const blockheight = this.height + 1;
        const answer = await socket.call('waitblockheight', { blockheight, timeout: WAIT_S });
        this.set(answer.requireNumber('blockheight'));
      } catch (error) {
        if (error instanceof NodeError && error.code === TIMED_OUT) continue;
        // The node refuses the call, or is unreachable. The height then comes from polls, and from the next
        // connection.
        if (error instanceof NodeError || error instanceof FulguriteError) return;
        throw error;
      }
    }
  }
}
