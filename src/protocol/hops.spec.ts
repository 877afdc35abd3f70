import { describe, expect, it } from '@jest/globals';
import { passHops, readHops, withHops } from './hops.js';
import { ROUTING_EXTENSION_URI } from './routing-extension.js';

const metadata = (hops: unknown) => ({ [ROUTING_EXTENSION_URI]: { hops } });

describe('hops', () => {
  it('are read from the header and from metadata, the longer list counts', () => {
    expect(readHops(undefined, undefined)).toEqual([]);
    expect(readHops(' h1, h2 ,', metadata(['h1']))).toEqual(['h1', 'h2']);
    expect(readHops('h1', metadata(['h1', 'h2']))).toEqual(['h1', 'h2']);
  });

  it.each([['x'], [1], [['a', 2]], [['a b']], [['a,b']], [['']], [['x'.repeat(129)]]])(
    'that are not hub ids are refused: %j',
    (hops) => {
      expect(() => readHops(undefined, metadata(hops))).toThrow(
        expect.objectContaining({ reason: 'INVALID_PARAMS' }),
      );
    },
  );

  it('that are not hub ids in the header are refused', () => {
    expect(() => readHops('a b', undefined)).toThrow(/A2A-Hub-Hops/);
  });

  it('grow by this hub', () => {
    expect(passHops(['h1'], 'h2', 8)).toEqual(['h1', 'h2']);
  });

  it('that name this hub are a loop', () => {
    expect(() => passHops(['h1', 'h2'], 'h1', 8)).toThrow(
      expect.objectContaining({ reason: 'NO_ROUTE' }),
    );
  });

  it('beyond the limit are taken for a loop', () => {
    const many = Array.from({ length: 8 }, (_, i) => `h${i}`);
    expect(passHops(many.slice(1), 'own', 8)).toHaveLength(8);
    expect(() => passHops(many, 'own', 8)).toThrow(expect.objectContaining({ reason: 'NO_ROUTE' }));
  });

  it('are written beside what is there', () => {
    expect(withHops({ a: 1, [ROUTING_EXTENSION_URI]: { tags: ['x'] } }, ['h'])).toEqual({
      a: 1,
      [ROUTING_EXTENSION_URI]: { tags: ['x'], hops: ['h'] },
    });
    expect(withHops({ [ROUTING_EXTENSION_URI]: 'x' }, ['h'])).toEqual(metadata(['h']));
  });
});
