/**
 * Onion messages that reach the node over a blinded path with a secret, such as replies to our requests for invoices.
 * The node passes each of them to this hook, which lets every message pass at once, because other plugins of the node
 * may need the message. A copy goes to the engine, which recognises its own secrets.
 */
import type { JsonToken } from '../rpc/json-token.ts';
import { membersOf } from '../rpc/socket-client.ts';

/** The name of the hook, which is called for messages over a blinded path with a secret. */
export const MESSAGE_METHOD = 'onion_message_recv_secret';

/**
 * The hook in the manifest. It has no filters. We run before `offers`, because that plugin may answer messages that it
 * does not know.
 */
export const MESSAGE_HOOK = { name: MESSAGE_METHOD, before: ['offers'] } as const;

/** The answer that lets the message pass. */
export const PASS_ON = { result: 'continue' } as const;

/** The message as a line of JSON. Undefined if it contains no reply to a request for an invoice. */
export function messageLine(params: JsonToken | undefined): string | undefined {
  const message = params === undefined ? undefined : membersOf(params).onion_message;
  if (message === undefined) return undefined;
  const { invoice, invoice_error: error } = membersOf(message);
  if (invoice === undefined && error === undefined) return undefined;
  // Outside strings, line breaks are mere white space, and within strings they are escaped.
  return message.raw.replaceAll(/[\r\n]+/g, ' ');
}
