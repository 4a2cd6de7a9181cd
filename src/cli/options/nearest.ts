/**
 * Finds the known name that an unknown name probably means.
 *
 * Distance: the minimum number of letters to insert, delete, replace or swap with their neighbour (Damerau 1964, in the
 * restricted form: no letter is edited twice).
 */

/** One edit is allowed for each group of this many letters in the unknown name, but at least one edit in total. */
const LETTERS_PER_EDIT = 4;

/** The known name nearest to `name`, or undefined when none is close enough. Case is ignored. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(name.length / LETTERS_PER_EDIT));
  const wanted = name.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > most) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance };
  }
  return best?.name ?? shortestBeginning(wanted, known);
}

/** Minimum length of a prefix that counts as an abbreviation: `getrout` for `getroutes`. */
const MIN_BEGINNING = 4;

/** The shortest known name that starts with `wanted`. */
function shortestBeginning(wanted: string, known: readonly string[]): string | undefined {
  if (wanted.length < MIN_BEGINNING) return undefined;
  return known
    .filter((name) => name.toLowerCase().startsWith(wanted))
    .toSorted((a, b) => a.length - b.length)[0];
}

/** The number of edits between two words. Time and memory are proportional to the product of their lengths. */
export function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => {
    const row = new Array<number>(b.length + 1).fill(0);
    row[0] = i;
    return row;
  });
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        rows[i - 1]![j - 1]! + (isSame ? 0 : 1),
      );
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = least;
    }
  }
  return rows[a.length]![b.length]!;
}
