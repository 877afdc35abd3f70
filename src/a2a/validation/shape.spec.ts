import { describe, expect, it } from '@jest/globals';
import { leaf, listOf, object, oneOf, optional, required } from './shape.js';

const text = leaf('a string', (value) => typeof value === 'string');
const faults = (count: number) => Array.from({ length: count }, () => 0);

describe('a list', () => {
  const list = listOf(text, 1, 3);

  it('holds as many items as it may, each of which is right', () => {
    for (const right of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      expect(list.check(right)).toBeUndefined();
      expect(list.known(right)).toEqual(right);
    }
    expect(list.check({})).toMatchObject([{ description: 'must be an array' }]);
    expect(list.check([])).toMatchObject([{ description: 'must hold at least 1 item' }]);
    expect(list.check(['a', 'b', 'c', 'd'])).toMatchObject([
      { description: 'must hold at most 3 items' },
    ]);
  });

  it('says which items are wrong, but not of more than twenty', () => {
    expect(list.check(['a', 1, 2])).toEqual([
      { field: '[1]', description: 'must be a string' },
      { field: '[2]', description: 'must be a string' },
    ]);
    const long = listOf(text, 0, 100);
    expect(long.check(faults(19))).toHaveLength(19);
    expect(long.check(faults(100))).toHaveLength(20);
  });
});

describe('an object', () => {
  const shape = object({ fullName: required(text), nick: optional(text) });

  it('is read under camelCase and snake_case names, null being absent; others are ignored', () => {
    for (const right of [{ fullName: 'a' }, { full_name: 'a', nick: null, other: 1 }]) {
      expect(shape.check(right)).toBeUndefined();
      expect(shape.known(right)).toEqual({ fullName: 'a' });
    }
    expect(shape.known({ fullName: 'a', full_name: 'b', nick: 'n' })).toEqual({
      fullName: 'a',
      nick: 'n',
    });
  });

  it('says all that is wrong with its members, by their paths', () => {
    for (const wrong of [null, [], 'x']) {
      expect(shape.check(wrong)).toEqual([{ field: '', description: 'must be an object' }]);
    }
    expect(shape.check({ nick: 1 })).toEqual([
      { field: 'fullName', description: 'is required' },
      { field: 'nick', description: 'must be a string' },
    ]);
    const nested = object({ people: required(listOf(shape, 1, 2)) });
    expect(nested.check({ people: [{ fullName: 'a' }, { fullName: 1 }] })).toEqual([
      { field: 'people[1].fullName', description: 'must be a string' },
    ]);
  });

  it('is asked its rule only when its members are right', () => {
    const fault = [{ field: 'nick', description: 'must be another' }];
    const ruled = object({ fullName: required(text), nick: optional(text) }, (read) =>
      read('fullName') === read('nick') ? fault : undefined,
    );
    expect(ruled.check({ full_name: 'a', nick: 'a' })).toEqual(fault);
    expect(ruled.check({ full_name: 'a', nick: 'b' })).toBeUndefined();
    expect(ruled.check({ nick: 'a' })).toEqual([{ field: 'fullName', description: 'is required' }]);
  });
});

it('one of several has the shape that a member names', () => {
  const shape = oneOf('kind', { a: object({ x: required(text) }), b: object({}) });
  expect(shape.check({ kind: 'a', x: 'x' })).toBeUndefined();
  expect(shape.check({ kind: 'b' })).toBeUndefined();
  expect(shape.check({ kind: 'a' })).toEqual([{ field: 'x', description: 'is required' }]);
  expect(shape.check({ kind: 'c' })).toEqual([
    { field: 'kind', description: 'must be one of a, b' },
  ]);
  expect(shape.known({ kind: 'a', x: 'x', y: 1 })).toEqual({ kind: 'a', x: 'x' });
});
