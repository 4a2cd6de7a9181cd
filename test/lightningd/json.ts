/** JSON values of requests and answers, as they were sent. */
import { JsonText, type JsonToken } from '../../src/rpc/json-token.ts';

/** The member of an object. Undefined when it has none of that name. */
export const member = (token: JsonToken, name: string): JsonToken | undefined =>
  token.members().find(({ key }) => key === name)?.value;

/** A token as `toJson` writes it unchanged. */
export const raw = (token: JsonToken): JsonText => new JsonText(token.raw);
