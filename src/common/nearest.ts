/** How many names a suggestion holds. */
const MAX_SUGGESTED = 3;

/** A name within the other is near from so many characters on. */
const MIN_WITHIN = 3;

/**
 * The names that are close to one that was mistyped: few, the closest first, ties by name. A third of the
 * characters may differ, and of none so many that nothing is left.
 */
export function nearest(wanted: string, names: readonly string[]): readonly string[] {
  const limit = Math.ceil(wanted.length / 3);
  return names
    .map((name) => ({ name, distance: distanceOf(wanted, name, limit) }))
    .filter(
      ({ name, distance }) => distance <= limit && distance < Math.min(wanted.length, name.length),
    )
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTED)
    .map(({ name }) => name);
}

/** Characters to insert, delete or replace (Levenshtein), none for case; one name within the other counts as near. */
function distanceOf(a: string, b: string, limit: number): number {
  if (a.toLowerCase() === b.toLowerCase()) return 0;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= MIN_WITHIN && long.includes(short)) return 1;
  if (Math.abs(a.length - b.length) > limit) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
