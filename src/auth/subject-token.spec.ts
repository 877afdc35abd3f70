import { expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { SubjectToken } from './subject-token.js';

it('a token shows itself to nobody who does not ask for it', () => {
  const token = new SubjectToken('secret-token', 'acme', null);
  const shown = [JSON.stringify({ token }), inspect(token, { showHidden: true })];
  for (const text of shown) expect(text).not.toContain('secret-token');
  expect({ ...token }).toEqual({ issuerId: 'acme', expiresAt: null });
  expect(token.reveal()).toBe('secret-token');
});
