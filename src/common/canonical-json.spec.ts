import { expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

it('orders members by UTF-16 code units, at every depth (RFC 8785 §3.2.3)', () => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, a: [{ z: 1, b: 2 }] };
  expect(canonicalJson(value)).toBe(
    '{"\\r":2,"1":4,"a":[{"b":2,"z":1}],"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
  );
});

it.each([0, 1, 5, 23, 24, 100])('orders %d members', (count) => {
  const names = Array.from({ length: count }, (_, n) => `m${(n * 7919) % 101}`);
  const value = Object.fromEntries(names.map((name) => [name, 0]));
  const sorted = [...names].sort().map((name) => `"${name}":0`);
  expect(canonicalJson(value)).toBe(`{${sorted.join(',')}}`);
});

it('writes numbers and texts as ECMAScript does (RFC 8785 §3.2.2)', () => {
  expect(canonicalJson([1e30, 4.5, 2e-3, 1e-27, 'A\u0007"\\/\u20ac', true, null])).toBe(
    '[1e+30,4.5,0.002,1e-27,"A\\u0007\\"\\\\/\u20ac",true,null]',
  );
});

it('leaves out members that are undefined', () => {
  expect(canonicalJson({ a: undefined, b: {} })).toBe('{"b":{}}');
});

it('writes a Date as its text in ISO 8601, at every depth', () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const text = '"2026-01-02T03:04:05.678Z"';
  expect(canonicalJson({ b: [at], a: at })).toBe(`{"a":${text},"b":[${text}]}`);
});
