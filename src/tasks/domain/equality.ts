import type { Part } from '../../protocol/a2a.js';

/** Deep equality of JSON-like values and bytes; an absent member equals an undefined one. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
    sameValue(own(left, key), own(right, key)),
  );
}

/** What every object inherits (`constructor`, `__proto__`) is no member of it. */
function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether `parts` begins with all of `known`. */
export function startsWith(parts: readonly Part[], known: readonly Part[]): boolean {
  return known.length <= parts.length && known.every((part, i) => sameValue(part, parts[i]));
}
