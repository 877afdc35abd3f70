/** How many names a suggestion holds. */
const MAX_SUGGESTED = 3;

/** The names that are closest to one that was mistyped: few, the closest first, ties by name. */
export function nearest(wanted: string, names: readonly string[]): readonly string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: distanceOf(wanted, name, limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTED)
    .map(({ name }) => name);
}

/** Characters to insert, delete or replace (Levenshtein); one name within the other counts as near. */
function distanceOf(a: string, b: string, limit: number): number {
  if (b.includes(a) || a.includes(b)) return 1;
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
