import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-id.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the id of a request', () => {
  it.each(['a', '0123-abc', '01J:9/x+y=@z._', 'x'.repeat(128)])('is the one given: %s', (id) => {
    expect(requestIdOf(id)).toBe(id);
  });

  it.each([undefined, '', 'a b', 'a, b', '"', 'a\nb', '\u001b[31m', 'ü', 'x'.repeat(129), ['a']])(
    'is a new one in the place of %j',
    (given) => {
      expect(requestIdOf(given)).toMatch(UUID);
      expect(requestIdOf(given)).not.toBe(requestIdOf(given));
    },
  );
});
