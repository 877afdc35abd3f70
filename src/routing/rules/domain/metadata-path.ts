import type { MetadataValue } from './rule.js';

/**
 * Those of the values that the member of the metadata at this path is; of a list, that are among its
 * entries. Texts are compared exactly, and a number is never equal to a text.
 */
export function metadataAmong(
  metadata: Readonly<Record<string, unknown>>,
  path: string,
  values: readonly MetadataValue[],
): readonly MetadataValue[] {
  const found = memberAt(metadata, path);
  const entries: readonly unknown[] = Array.isArray(found) ? found : [found];
  return values.filter((value) => entries.includes(value));
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
