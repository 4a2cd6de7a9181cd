/**
 * The pairs of a list that the user provides: CSV with a column `source` and a column `destination` of node ids. Other
 * columns are ignored, so the answers of one run can be the questions of another. Without a header, the first two
 * columns are used. Values have no quotes, since node ids need none.
 */
import { parseNodeId } from '../src/model/node-id.ts';
import type { Pair } from './pairs.ts';

/** Maximum number of pairs of a list. */
const MAX_PAIRS = 1_000_000;

/** The pairs of a text. @throws Error that names the line that cannot be parsed. */
export function pairsOfCsv(text: string): Pair[] {
  const lines = text.split(/\r?\n/).map((line) => line.split(',').map((value) => value.trim()));
  const names = lines[0]!.includes('source') ? lines[0]! : ['source', 'destination'];
  const [source, destination] = [names.indexOf('source'), names.indexOf('destination')];
  if (destination === -1) throw new Error('line 1: there is no column "destination"');
  const pairs: Pair[] = [];
  for (const [index, values] of lines.entries()) {
    if (values === names || values.join('') === '') continue;
    const ends = {
      source: parseNodeId(values[source] ?? ''),
      destination: parseNodeId(values[destination] ?? ''),
    };
    if (ends.source === undefined || ends.destination === undefined) {
      const end = ends.source === undefined ? 'source' : 'destination';
      throw new Error(`line ${index + 1}: the ${end} is not a node id (66 hex digits)`);
    }
    if (pairs.length === MAX_PAIRS) throw new Error(`line ${index + 1}: more than ${MAX_PAIRS} pairs`);
    pairs.push({ source: ends.source, destination: ends.destination });
  }
  if (pairs.length === 0) throw new Error('there are no pairs');
  return pairs;
}
