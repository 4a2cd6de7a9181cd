/**
 * LND's mission control: what LND learned about pairs of nodes from its own payments (`QueryMissionControl`), and what
 * we add (`XImportMissionControl`). LND keeps additions in memory until it restarts.
 */
import { FulguriteError } from '../../../model/errors.ts';
import { msat } from '../../../model/msat.ts';
import { nodeIdToBytes, parseNodeId } from '../../../model/node-id.ts';
import type { PairBelief, PairResult } from '../../../model/pair-belief.ts';
import type { PairMemory } from '../../port.ts';
import type { PairHistory } from '../answers.ts';
import { LndError } from '../client/calls.ts';
import type { LndLink } from '../node-link.ts';

/** Maximum number of pairs added in one call. LND itself keeps 1,000 results by default. */
const MAX_WRITTEN = 10_000;

/** What an LND node remembers of its own payments. */
export class MissionControl implements PairMemory {
  readonly #link: LndLink;

  constructor(link: LndLink) {
    this.#link = link;
  }

  async read(): Promise<PairBelief[]> {
    const { pairs } = await this.#asked<{ pairs: PairHistory[] }>('QueryMissionControl', {});
    return pairs.flatMap(beliefOf);
  }

  async write(beliefs: readonly PairBelief[]): Promise<void> {
    if (beliefs.length === 0) return;
    const pairs = beliefs.slice(0, MAX_WRITTEN).map(({ from, to, failed, passed }) => ({
      node_from: nodeIdToBytes(from),
      node_to: nodeIdToBytes(to),
      history: {
        ...(failed && { fail_time: String(failed.timestamp), fail_amt_msat: String(failed.amountMsat) }),
        ...(passed && {
          success_time: String(passed.timestamp),
          success_amt_msat: String(passed.amountMsat),
        }),
      },
    }));
    await this.#asked('XImportMissionControl', { pairs, force: false });
  }

  /** @throws FulguriteError unspecified with LND's message, and the errors of the link */
  async #asked<T>(method: 'QueryMissionControl' | 'XImportMissionControl', request: object): Promise<T> {
    try {
      return await this.#link.call<T>(method, request);
    } catch (error) {
      if (error instanceof LndError) throw new FulguriteError('unspecified', `LND: ${error.message}`);
      throw error;
    }
  }
}

/** The belief in a row. Empty for a row without two node ids or without a history. */
function beliefOf({ node_from, node_to, history }: PairHistory): PairBelief[] {
  const [from, to] = [node_from, node_to].map((bytes) => parseNodeId(Buffer.from(bytes).toString('hex')));
  if (from === undefined || to === undefined || history === null) return [];
  return [
    {
      from,
      to,
      failed: resultOf(history.fail_time, history.fail_amt_msat),
      passed: resultOf(history.success_time, history.success_amt_msat),
    },
  ];
}

/** A time of 0, or before 1970, means that LND has no result. */
function resultOf(time: string, amount: string): PairResult | undefined {
  const timestamp = Number(time);
  return timestamp > 0 && BigInt(amount) >= 0n ? { amountMsat: msat(BigInt(amount)), timestamp } : undefined;
}
