import { expect, it } from '@jest/globals';
import { merged, withMember } from './merged.js';

it('merges as a spread does: what comes later wins', () => {
  expect(merged({ a: 1, b: 1 }, { b: 2, c: 2 })).toEqual({ a: 1, b: 2, c: 2 });
});

it('sets a member among any others, and leaves the object as it is', () => {
  const base = JSON.parse('{ "a": 1, "b": 1, "__proto__": { "polluted": true } }') as object;
  const all = withMember<unknown>(base as Record<string, unknown>, 'a', 2);
  expect(JSON.stringify(all)).toBe('{"a":2,"b":1,"__proto__":{"polluted":true}}');
  expect((all as { polluted?: boolean }).polluted).toBeUndefined();
  expect(withMember(undefined, 'a', 2)).toEqual({ a: 2 });
});
