/**
 * Comments, texts and documents use the usual terms. Phrases that proved hard to read must not return. The
 * failure shows a replacement for each.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLACES = ['src', 'assembly', 'docs', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Phrases, and what to write instead. */
const ODD: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again, or a verb with re-'],
  [/\b[Nn]obody\b/, 'say what happens: "is not awaited", "is unknown"'],
  [/\b(?:is|are|be|was|were) told\b/i, 'gets, receives, is reported, is notified'],
  [/\bwhatever lies\b/i, 'regardless of'],
  [/\bleads no more\b/i, 'is no longer leader'],
  [/\/\*\* Most (?!of it|\w+ (?:are|have|contain)\b)/, 'Maximum, or Maximum number of'],
  [/\bmost (?:bytes|connections|requests|values) (?:of|in|that)\b/i, 'maximum'],
  [/(?<=['"` ])It is no error when\b/, 'Succeeds if'],
  [/\bwhose turn it is\b/i, 'current, or next'],
  [/\bgone on with\b/i, 'continued'],
  [/\btells? of\b/i, 'reports, names'],
  [/\bfrom which (?:level )?on\b/i, 'say the lowest value'],
  [/\bnone of which is\b/i, 'which is not'],
  [/, whatever (?:the|its|their|your)\b/i, 'regardless of'],
  [/^(?:<{7}|>{7})(?: |$)/, 'a mark of an unfinished merge: keep one version'],
  [/\bwhoever\b/i, 'name who: the caller, anyone who'],
  [/\bof which (?:nothing|none|something|one)\b/i, 'unknown, or turn the sentence round'],
  [/\b(?:clearly|is|are|no|times|slightly|only) dear(?:er)?\b/i, 'costlier, too expensive'],
  [/\bin the place of\b/i, 'instead of'],
  [/\bdo(?:es)? not tell\b/i, 'does not report, does not show'],
  [/\b(?:node|network|LND|gossip|daemon|solver) tells\b/i, 'reports, announces'],
];

/** Fixed texts: an offer of the simulated network, whose id depends on its description. */
const QUOTED = ["offerDescription: 'nobody knows who'"];

/** The odd phrases of a text, by line. */
function oddities(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    if (QUOTED.some((quoted) => line.includes(quoted))) return [];
    return ODD.flatMap(([phrase, instead]) => {
      const [found] = phrase.exec(line) ?? [];
      return found === undefined ? [] : [`${index + 1}: "${found}": ${instead}`];
    });
  });
}

function filesOf(place: string): string[] {
  const path = join(ROOT, place);
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|md|html)$/.test(file))
    .map((file) => join(path, file));
}

it.each(PLACES)('%s has no odd phrases', (place) => {
  const files = filesOf(place);
  expect(files.length).toBeGreaterThan(0);
  const found = files.flatMap((file) =>
    oddities(readFileSync(file, 'utf8')).map((oddity) => `${relative(ROOT, file)}:${oddity}`),
  );
  expect(found).toEqual([]);
});

it.each([
  ['/** Reads the file anew. */', 1],
  ['// Nobody waits for it.', 1],
  ['<<<<<<< Updated upstream', 1],
  ['>>>>>>> Stashed changes', 1],
  ['  const seven = 1 << 7;', 0],
  ['const NOBODY = {};', 0],
  ['The caller is told why.', 1],
  ['/** Most bytes of a request. */', 2],
  ['/** Most answers contain no such text. */', 0],
  ['/** Maximum bytes per request. */', 0],
  ['// The node tells of a change.', 2],
  ['// Holds, whatever the caps are.', 1],
  ["    fields: { offerAmount: 4000n, offerDescription: 'nobody knows who' },", 0],
])('%s: %i', (text, count) => {
  expect(oddities(text)).toHaveLength(count);
});
