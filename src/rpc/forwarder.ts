/** Methods that the attached node executes for our clients. */
import type { ErrorObject, Notification } from './dispatcher.ts';
import type { JsonText } from './json-token.ts';
import type { Request } from './request.ts';
import type { Session } from './session.ts';

/** The answer of the attached node: its result, byte for byte, or its error. */
export type ForwardedAnswer = { readonly result: JsonText } | { readonly error: ErrorObject };

/** Forwards requests to the attached node. */
export interface Forwarder {
  /** Whether the node executes this method, which may have the name of one of our own methods. */
  takes(method: string): boolean;

  /** The node's answer. @throws FulguriteError when there is no answer to pass on */
  answer(
    request: Request,
    session: Session,
    send: (notification: Notification) => void,
  ): Promise<ForwardedAnswer>;
}

/** Selects the node's own method if we have a method of the same name: `node-listpays`. */
const NODE_PREFIX = 'node-';

/** The node's own name of the method. */
export const nodeMethod = (method: string): string =>
  method.startsWith(NODE_PREFIX) ? method.slice(NODE_PREFIX.length) : method;

/** Names of methods that only read or receive. They cannot spend money, so they are logged only at level debug. */
const HARMLESS = /^(?:list|get|wait|decode|feerates|parsefeerate|checkmessage|newaddr|invoice$|delinvoice$)/;

/** Whether a node's method may spend money, judging by its name. If the method is unknown, assume that it may. */
export const maySpend = (method: string): boolean => !HARMLESS.test(nodeMethod(method));
