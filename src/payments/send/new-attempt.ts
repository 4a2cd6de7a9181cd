/** Creates attempts, before they are journaled and sent. */

import { randomSessionKey } from '../../bolt/onion/sphinx.ts';
import type { Route } from '../../engine/question/route.ts';
import { randomId } from '../../model/random-id.ts';
import type { Attempt } from '../payment.ts';
import type { Services } from '../services.ts';

/** Creates an attempt with a new session key. Does not write it to the journal. */
export function newAttempt(
  { path, probabilityPpm, uncorrectedPpm }: Route,
  { partId, amountMsat, partOfSeveral }: Pick<Attempt, 'partId' | 'amountMsat' | 'partOfSeveral'>,
  { journal, randomBytes, clock, network, purse }: Services,
): Attempt {
  const ownNode = purse?.nodes.byId(path[0]!.nodeIdIn);
  return {
    id: randomId(randomBytes),
    createdIndex: journal.nextAttemptIndex(),
    ownNode: ownNode?.name,
    partId,
    path,
    amountMsat,
    amountSentMsat: path[0]!.amountOutMsat,
    probabilityPpm,
    uncorrectedPpm,
    height: ownNode?.port.blockHeight() ?? network.blockHeight(),
    partOfSeveral,
    sessionKey: randomSessionKey(randomBytes),
    createdAtMs: clock.nowMs(),
    status: 'sent',
    completedAtMs: undefined,
    updatedIndex: undefined,
    failure: undefined,
    learned: [],
  };
}
