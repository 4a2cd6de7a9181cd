/** JSON values of requests and answers, exactly as they were sent. */
import { JsonText, type JsonToken } from '../../src/rpc/json-token.ts';

/** The member of this name. Undefined if the object has none. */
export const member = (token: JsonToken, name: string): JsonToken | undefined =>
  token.members().find(({ key }) => key === name)?.value;

/** Wraps a token so that `toJson` writes it unchanged. */
export const raw = (token: JsonToken): JsonText => new JsonText(token.raw);
