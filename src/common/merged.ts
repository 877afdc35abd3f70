/*
 * What `{ ...base, more: 1 }` makes, for the path of each message. Where a spread comes first in a literal, V8 before 12
 * (Node 20 and 22) makes a hidden class of its own at each run for every member that is added behind it, which takes a
 * microsecond and slows down whoever reads the object.
 */

/** `{ ...base, ...more }`, for objects that the hub itself has made: of one from outside, `__proto__` would be lost. */
export function merged<A extends object, B extends object>(base: A, more: B): Omit<A, keyof B> & B {
  return Object.assign({}, base, more);
}

/** `{ ...base, [name]: value }`, whatever the names in `base` are. */
export function withMember<V>(
  base: Readonly<Record<string, V>> | undefined,
  name: string,
  value: V,
): Record<string, V> {
  const all = { [name]: value, ...base };
  all[name] = value;
  return all;
}
