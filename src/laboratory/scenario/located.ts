/**
 * Parses scenario files into values with their locations, so that every error can contain the file, line and field.
 *
 * JSON (RFC 8259) and YAML 1.2 become the same tree. Whole numbers are `bigint`, because channel ids need 64 bits. Our
 * own files are small, but a `sim.json` of the whole network has a million values, so line numbers are computed only
 * when an error needs them.
 */
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { JsonSyntaxError } from '../../rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../../rpc/json-token.ts';
import { scenarioError } from './scenario-error.ts';

/** Maximum nesting depth of a scenario file. Our own files need a depth of 5. */
const MAX_DEPTH = 32;
/**
 * Maximum size of a YAML file as UTF-8. The parser of JSON takes linear time, so JSON has only the limit of the file
 * reader.
 */
const MAX_YAML_BYTES = 4 * 1024 * 1024;

/** A scalar of a scenario. */
export type Scalar = string | number | bigint | boolean | null;

/** A value and its location in the source. */
export interface Located {
  /** Position in the source, in characters from 0. Negative for a value that is not from a file. */
  readonly offset: number;
  readonly scalar?: Scalar;
  readonly elements?: readonly Located[];
  readonly members?: ReadonlyMap<string, Located>;
}

/** A parsed file. */
export interface LocatedFile {
  readonly name: string;
  readonly root: Located;
  /** Line of an offset, counted from 1. */
  readonly lineOf: (offset: number) => number;
}

/** Parses JSON when the text begins with a brace, and YAML otherwise. @throws FulguriteError `scenario` */
export function parseLocated(text: string, name: string): LocatedFile {
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  return /^\s*\{/.test(text)
    ? { name, root: fromJson(text, name, lineOf), lineOf }
    : { name, root: fromYaml(text, name), lineOf };
}

function fromJson(text: string, file: string, lineOf: (offset: number) => number): Located {
  let token: JsonToken;
  try {
    token = parseJson(text, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const found = text.slice(error.offset, error.offset + 20) || 'the end of the file';
    throw scenarioError({
      file,
      line: lineOf(error.offset),
      field: '',
      expected: `JSON: ${error.message}`,
      found,
    });
  }
  return located(token, file, lineOf);
}

function located(token: JsonToken, file: string, lineOf: (offset: number) => number): Located {
  const { offset } = token;
  switch (token.kind) {
    case 'object': {
      const members = new Map<string, Located>();
      for (const { key, value } of token.members()) {
        if (members.has(key)) {
          const line = lineOf(value.offset);
          throw scenarioError({ file, line, field: key, expected: 'each field once', found: 'it twice' });
        }
        members.set(key, located(value, file, lineOf));
      }
      return { offset, members };
    }
    case 'array':
      return { offset, elements: token.elements().map((element) => located(element, file, lineOf)) };
    case 'number':
      return { offset, scalar: /^-?\d+$/.test(token.raw) ? BigInt(token.raw) : Number(token.raw) };
    case 'string':
      return { offset, scalar: token.text };
    case 'boolean':
      return { offset, scalar: token.raw === 'true' };
    case 'null':
      return { offset, scalar: null };
  }
}

function fromYaml(text: string, file: string): Located {
  const problem = (line: number | undefined, expected: string, found: string): never => {
    throw scenarioError({ file, line, field: '', expected, found });
  };
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_YAML_BYTES) problem(1, `YAML of at most ${MAX_YAML_BYTES} bytes, or JSON`, `${bytes}`);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter,
    intAsBigInt: true,
    uniqueKeys: true,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    problem(line, 'YAML', error.message.split('\n')[0]!);
  }
  return yamlNode(document.contents, 0, (offset, found) =>
    problem(lineCounter.linePos(offset).line, 'maps, lists, texts and numbers', found),
  );
}

function yamlNode(node: unknown, depth: number, refuse: (offset: number, found: string) => never): Located {
  const offset = (node as { range?: readonly number[] } | null)?.range?.[0] ?? 0;
  if (depth > MAX_DEPTH) return refuse(offset, `more than ${MAX_DEPTH} levels`);
  if (isMap(node)) {
    const members = new Map<string, Located>();
    for (const { key, value } of node.items) {
      if (!isScalar(key)) return refuse(offset, 'a key that is not a text');
      members.set(String(key.value), yamlNode(value, depth + 1, refuse));
    }
    return { offset, members };
  }
  if (isSeq(node)) return { offset, elements: node.items.map((item) => yamlNode(item, depth + 1, refuse)) };
  if (node === null) return { offset, scalar: null };
  if (!isScalar(node)) return refuse(offset, 'an alias');
  const { value } = node;
  const isPlain = value === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
  return isPlain ? { offset, scalar: value as Scalar } : refuse(offset, String(value));
}
