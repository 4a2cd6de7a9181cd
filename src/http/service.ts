/**
 * What answers the requests of the HTTP server: the app (app.ts), which refuses requests where it can decide alone, and
 * passes all others to the main thread.
 */
import type { RequestListener } from 'node:http';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { getRequestListener } from '@hono/node-server';
import { InputBudget } from '../rpc/input-budget.ts';
import { createApp } from './app.ts';
import { ClientQuota, WaitingQuota } from './client-quota.ts';
import { Followers } from './followers.ts';
import type { MainLink } from './main-link.ts';
import type { ServerSettings, ToMain, ToServer } from './messages.ts';
import { DESCRIPTIONS, NOT_PERMITTED, RefusalLimit, WRONG_RUNES } from './refusal-limit.ts';
import { RefusalReport } from './refusal-report.ts';
import { RuneGate } from './rune-gate.ts';
import { SharedDocuments } from './shared-documents.ts';

/** The caller's members in requests for documents, which need no rune. */
const NO_CALLER = { method: undefined, rune: undefined, address: '' } as const;

/** Answers requests. */
export interface Service {
  readonly answer: RequestListener;
  /** Takes a message of the main thread. */
  readonly take: (message: ToServer) => void;
}

/** What the service needs from the thread. */
export interface ServiceDependencies {
  /** Receives the messages of the main thread. */
  readonly port: MessagePort;
  readonly main: MainLink;
  /** Stops accepting connections, and ends the thread once all are closed. */
  readonly close: (graceMs: number) => void;
}

/** Makes the service. */
export function createService(settings: ServerSettings, { port, main, close }: ServiceDependencies): Service {
  const followers = new Followers(() => main.unfollow());
  const gate = new RuneGate({
    settings: settings.gate,
    report: new RefusalReport((message: ToMain) => port.postMessage(message)),
    catchUp() {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        take(next.message);
      }
    },
  });
  const app = createApp({
    settings,
    main,
    input: new InputBudget(settings.limits.maxInputBytes),
    gate,
    wrongRunes: new RefusalLimit(WRONG_RUNES),
    notPermitted: new RefusalLimit(NOT_PERMITTED),
    descriptions: new RefusalLimit(DESCRIPTIONS),
    followers,
    documents: new SharedDocuments((name) => main.ask({ kind: 'document', name, ...NO_CALLER })),
    inFlightShares: new ClientQuota(settings.limits.maxInFlightOfOne),
    followerShares: new ClientQuota(settings.limits.maxFollowersOfOne),
    longBodyShares: new WaitingQuota(settings.limits.maxLongBytesOfOne),
  });
  const take = (message: ToServer): void => {
    if (message.kind === 'events') followers.tell(message.events);
    else if (message.kind === 'blacklist' || message.kind === 'used') gate.take(message);
    else if (message.kind !== 'close') main.take(message);
    else {
      followers.close();
      close(message.graceMs);
    }
  };
  return { answer: getRequestListener(app.fetch), take };
}
