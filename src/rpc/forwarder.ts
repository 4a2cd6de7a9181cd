/** Methods that another service executes for us: the attached node. */
import type { ErrorObject, Notification } from './dispatcher.ts';
import type { JsonText } from './json-token.ts';
import type { Request } from './request.ts';
import type { Session } from './session.ts';

/** The answer of the attached node: its result in its own bytes, or its error. */
export type ForwardedAnswer = { readonly result: JsonText } | { readonly error: ErrorObject };

/** Hands requests to the attached node. */
export interface Forwarder {
  /** Whether the node executes this method. It may be one that we have too. */
  takes(method: string): boolean;

  /** The node's answer. @throws FulguriteError when no answer came that can be passed on */
  answer(
    request: Request,
    session: Session,
    send: (notification: Notification) => void,
  ): Promise<ForwardedAnswer>;
}

/** Names the node's own method where we have one of the same name: `node-listpays`. */
const NODE_PREFIX = 'node-';

/** The method as the node knows it. */
export const nodeMethod = (method: string): string =>
  method.startsWith(NODE_PREFIX) ? method.slice(NODE_PREFIX.length) : method;

/** Methods that only read or receive. They cannot make money leave, so they are not logged. */
const HARMLESS = /^(?:list|get|wait|decode|feerates|parsefeerate|checkmessage|newaddr|invoice$|delinvoice$)/;

/** Whether a method of the node can make money leave, judging by its name. Unknown names can. */
export const maySpend = (method: string): boolean => !HARMLESS.test(nodeMethod(method));
