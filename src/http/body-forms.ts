/**
 * Bodies of parameters in the forms that Core Lightning's clnrest takes beside JSON, as JSON text: YAML, and forms
 * (`application/x-www-form-urlencoded`) with members in brackets: `path[0][amount_msat]=5`.
 *
 * Every value of a form is a text. That is enough, because parameters are read from their text. Numbers in YAML keep
 * their digits up to 64 bits and beyond.
 */
import qs from 'qs';
import { parseDocument } from 'yaml';
import { toJson } from '../rpc/json-write.ts';
import { BodyError } from './body.ts';

/** The forms of a body. */
export type BodyForm = 'json' | 'yaml' | 'form';

/** Types that count as JSON. The first is that of a request or an answer without a type. */
export const JSON_TYPES = ['application/json', '*/*'] as const;
/** The type of YAML. Every JSON text is YAML too, so an answer in JSON may have it. */
export const YAML_TYPE = 'application/yaml';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Most characters of a body that is not JSON. Reading one takes far longer than reading JSON. */
const MAX_CHARACTERS = 65_536;
const MAX_MEMBERS = 1000;
const MAX_ELEMENTS = 1000;
const MAX_DEPTH = 10;
const LOOKS_LIKE_JSON = /^\s*[{[]/;

/** The form that a Content-Type names. Undefined for one that is not known. */
export function formOf(contentType: string): BodyForm | undefined {
  if (JSON_TYPES.some((type) => contentType.includes(type))) return 'json';
  if (contentType.includes(YAML_TYPE)) return 'yaml';
  return contentType.includes(FORM_TYPE) ? 'form' : undefined;
}

/**
 * A body of parameters as JSON text. The main thread checks whether it is one object. A form that looks like JSON is
 * JSON: curl gives `-d` the type of forms, unless it is told another.
 * @throws BodyError parseError, tooLarge
 */
export function asJson(body: string, form: BodyForm): string {
  if (form === 'json' || body.trim() === '' || (form === 'form' && LOOKS_LIKE_JSON.test(body))) return body;
  if (body.length > MAX_CHARACTERS) {
    throw new BodyError('tooLarge', `A body that is not JSON exceeds ${MAX_CHARACTERS} characters`);
  }
  try {
    return toJson(form === 'yaml' ? yamlValue(body) : formValue(body));
  } catch (error) {
    const name = form === 'yaml' ? 'YAML' : 'a form';
    throw new BodyError('parseError', `The body is not ${name}: ${firstLine(error)}`);
  }
}

function yamlValue(body: string): unknown {
  const document = parseDocument(body, { intAsBigInt: true, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  // A few bytes that refer to each other could stand for very many values.
  return document.toJS({ maxAliasCount: 0 });
}

function formValue(body: string): unknown {
  return qs.parse(body, {
    depth: MAX_DEPTH,
    strictDepth: true,
    parameterLimit: MAX_MEMBERS,
    arrayLimit: MAX_ELEMENTS,
    throwOnLimitExceeded: true,
  });
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0]!.slice(0, 200);
}
