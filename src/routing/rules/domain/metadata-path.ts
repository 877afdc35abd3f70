import type { MetadataValue } from './rule.js';

/** Entries of a list that are looked at. */
const MAX_ENTRIES = 1000;

/**
 * Those of the values that the member of the metadata at this path is; of a list, that are among its
 * first 1000 entries. Texts are compared exactly, and a number is never equal to a text.
 */
export function metadataAmong(
  metadata: Readonly<Record<string, unknown>>,
  path: string,
  values: readonly MetadataValue[],
): readonly MetadataValue[] {
  const found = memberAt(metadata, path);
  if (!Array.isArray(found)) return values.filter((value) => value === found);
  const entries = entriesOf(found);
  return values.filter((value) => entries.has(value));
}

const known = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

/** Made once for all rules that look at a list. */
function entriesOf(list: readonly unknown[]): ReadonlySet<unknown> {
  let entries = known.get(list);
  if (entries === undefined) known.set(list, (entries = new Set(list.slice(0, MAX_ENTRIES))));
  return entries;
}

/**
 * The member at a path of keys joined by dots. Keys may hold dots themselves (URIs do): the longest
 * key that is there is taken, then the rest of the path below it.
 */
function memberAt(node: unknown, path: string): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return undefined;
  if (Object.hasOwn(node, path)) return (node as Record<string, unknown>)[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const key = path.slice(0, dot);
    if (Object.hasOwn(node, key)) {
      return memberAt((node as Record<string, unknown>)[key], path.slice(dot + 1));
    }
  }
  return undefined;
}
