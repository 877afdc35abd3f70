/**
 * `{ ...base, ...more }` for the path of each message, where `more` has members that `base` has not: for a spread
 * that comes first in a literal, V8 before 12 (Node 20 and 22) makes a hidden class of its own at each run for every
 * member that is added behind it, which takes a microsecond and slows down whoever reads the object.
 */
export function merged<A extends object, B extends object>(base: A, more: B): Omit<A, keyof B> & B {
  return Object.assign({}, base, more);
}
