import { describe, expect, it } from '@jest/globals';
import { PageTokens } from './page-token.js';

const tokens = new PageTokens('secret');
const cursor = { statusAt: new Date(5), id: 'task' };

describe('PageTokens', () => {
  it('gives back the place it was issued for', () => {
    const token = tokens.issue(cursor, { state: 1 });
    expect(tokens.read(token, { state: 1 }, 'pageToken')).toEqual(cursor);
    expect(token).toMatch(/^[\w-]+\.[\w-]+$/);
  });

  it('refuses another list, another secret, and anything made up, naming the field', () => {
    const token = tokens.issue(cursor, { state: 1 });
    const reads = [
      () => tokens.read(token, { state: 2 }, 'pageToken'),
      () => new PageTokens('other').read(token, { state: 1 }, 'pageToken'),
      () => tokens.read('', { state: 1 }, 'pageToken'),
      () => tokens.read('a.b.c', { state: 1 }, 'pageToken'),
      () => tokens.read(`${token}x`, { state: 1 }, 'pageToken'),
    ];
    for (const read of reads) expect(read).toThrow(/^pageToken is not a token of this list$/);
  });
});
