/**
 * Converts bodies with parameters to JSON text. Two types are supported: JSON, and `application/x-www-form-urlencoded`
 * with member names in brackets, such as `path[0][amount_msat]=5`. Core Lightning's clnrest also accepts YAML. We do
 * not: a YAML parser is too complex for untrusted bytes.
 *
 * All values of a form are strings. That suffices, because parameters are parsed from their text.
 */
import { BodyError } from './body.ts';

/** The supported types of a body. */
export type BodyForm = 'json' | 'form';

/** Content types that count as JSON. The first one is the default for requests and answers. */
export const JSON_TYPES = ['application/json', '*/*'] as const;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Limits on a form. Inserting its members one by one takes longer than parsing JSON. */
const MAX_CHARACTERS = 65_536;
const MAX_MEMBERS = 1000;
const MAX_ELEMENTS = 1000;
const MAX_DEPTH = 10;
const LOOKS_LIKE_JSON = /^\s*[{[]/;
const PLACE = /^\d{1,9}$/;

/** The body type for a Content-Type. Undefined if we do not support it. */
export function formOf(contentType: string): BodyForm | undefined {
  if (JSON_TYPES.some((type) => contentType.includes(type))) return 'json';
  return contentType.includes(FORM_TYPE) ? 'form' : undefined;
}

/**
 * A body of parameters as JSON text. Whether it is a single object is checked later. A body declared as a form is read
 * as JSON if it looks like JSON, because curl declares `-d` data as a form by default.
 * @throws BodyError parseError, tooLarge
 */
export function asJson(body: string, form: BodyForm): string {
  if (form === 'json' || LOOKS_LIKE_JSON.test(body) || body.trim() === '') return body;
  if (body.length > MAX_CHARACTERS) {
    throw new BodyError('tooLarge', `A form exceeds ${MAX_CHARACTERS} characters`);
  }
  return jsonOf(readForm(body));
}

/** A value of a form: a text, or members by name. If all member names are numbers, it is a list. */
type FormValue = string | FormMembers;
type FormMembers = Map<string, FormValue>;

/** @throws BodyError parseError */
function readForm(body: string): FormMembers {
  const root: FormMembers = new Map();
  const entries = [...new URLSearchParams(body)];
  if (entries.length > MAX_MEMBERS) throw malformed(`more than ${MAX_MEMBERS} members`);
  for (const [name, value] of entries) put(root, pathOf(name), value);
  return root;
}

/** The parts of a member's name: `path[0][amount_msat]` has three. @throws BodyError parseError */
function pathOf(name: string): string[] {
  const [head = '', ...parts] = name.split('[');
  if (parts.length >= MAX_DEPTH) throw malformed(`a member nests deeper than ${MAX_DEPTH}`);
  return [
    head,
    ...parts.map((part) => {
      if (part.indexOf(']') !== part.length - 1) throw malformed('a name has unmatched brackets');
      return part.slice(0, -1);
    }),
  ];
}

/** Inserts a value. A repeated name makes a list. @throws BodyError parseError */
function put(root: FormMembers, path: readonly string[], value: string): void {
  let members = root;
  for (const [depth, part] of path.entries()) {
    const name = part === '' ? String(members.size) : part;
    const before = members.get(name);
    const isLast = depth === path.length - 1;
    if (before === undefined) {
      const inner: FormMembers = new Map();
      members.set(name, isLast ? value : inner);
      members = inner;
    } else if (typeof before !== 'string') {
      if (isLast) before.set(String(before.size), value);
      members = before;
    } else {
      if (!isLast) throw malformed('a name is used for both a value and members');
      members.set(
        name,
        new Map([
          ['0', before],
          ['1', value],
        ]),
      );
    }
  }
}

/** JSON text of a value, which is nested at most `MAX_DEPTH` deep. @throws BodyError parseError */
function jsonOf(value: FormValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  const names = [...value.keys()];
  if (names.length > 0 && names.every((name) => PLACE.test(name))) return listOf(value, names);
  return `{${[...value].map(([name, inner]) => `${JSON.stringify(name)}:${jsonOf(inner)}`).join(',')}}`;
}

/** JSON text of a list, ordered by the numbers in its members' names. @throws BodyError parseError */
function listOf(members: FormMembers, places: readonly string[]): string {
  if (places.some((place) => Number(place) >= MAX_ELEMENTS)) {
    throw malformed(`a list has an index above ${MAX_ELEMENTS - 1}`);
  }
  const inOrder = [...places].sort((a, b) => Number(a) - Number(b));
  return `[${inOrder.map((place) => jsonOf(members.get(place)!)).join(',')}]`;
}

function malformed(reason: string): BodyError {
  return new BodyError('parseError', `The body is not a form: ${reason}`);
}
