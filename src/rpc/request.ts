/**
 * The members of a JSON-RPC request, checked in Core Lightning's order. `jsonrpc` and `params` are optional. If a
 * member is repeated, its first value counts. Unknown members are ignored.
 */
import { FulguriteError } from '../model/errors.ts';
import type { JsonToken } from './json-token.ts';

/** A well-formed request. Its method and parameters are not checked yet. */
export interface Request {
  /** Source text of the id. The answer repeats it byte for byte. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonToken | undefined;
  readonly filter: JsonToken | undefined;
}

/**
 * Input that is not a request: the error to return, and the id for the answer. The id is `null` if it is missing or
 * invalid, or if `jsonrpc` is wrong.
 */
export interface Malformed {
  readonly id: string;
  readonly error: FulguriteError;
}

/** Maximum number of characters in an id's source text, which answers and notifications repeat. */
const MAX_ID_CHARACTERS = 4096;

function malformed(message: string, id = 'null'): Malformed {
  return { id, error: new FulguriteError('invalidRequest', message) };
}

/** Parses a request from its JSON value, or describes its fault. */
export function readRequest(token: JsonToken): Request | Malformed {
  if (token.kind !== 'object') return malformed('Expected an object for a request');
  let id: JsonToken | undefined;
  let jsonrpc: JsonToken | undefined;
  let method: JsonToken | undefined;
  let params: JsonToken | undefined;
  let filter: JsonToken | undefined;
  for (const { key, value } of token.members()) {
    if (key === 'id') id ??= value;
    else if (key === 'jsonrpc') jsonrpc ??= value;
    else if (key === 'method') method ??= value;
    else if (key === 'params') params ??= value;
    else if (key === 'filter') filter ??= value;
  }
  if (id === undefined) return malformed('No id');
  if (id.kind === 'object' || id.kind === 'array') return malformed('Expected string/primitive for id');
  if (id.raw.length > MAX_ID_CHARACTERS) return malformed(`The id exceeds ${MAX_ID_CHARACTERS} characters`);
  if (jsonrpc !== undefined && (jsonrpc.kind !== 'string' || jsonrpc.text !== '2.0')) {
    return malformed('jsonrpc: "2.0" must be specified in the request');
  }
  if (method === undefined) return malformed('No method', id.raw);
  if (method.kind !== 'string') return malformed('Expected string for method', id.raw);
  return { id: id.raw, method: method.text, params, filter };
}
