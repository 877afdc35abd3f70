import { describe, expect, it } from '@jest/globals';
import { scrub } from './scrub.js';

describe('scrub', () => {
  it('takes out the secrets that were sent and what looks like credentials', () => {
    const text = 'got s3cret-value and Authorization: Bearer eyJhbGciOi.J9 from you';
    expect(scrub(text, ['s3cret-value'])).toBe('got *** and Authorization: Bearer *** from you');
  });

  it('takes out a secret that the end of the text has cut off', () => {
    expect(scrub('you sent s3cret-val', ['s3cret-value'])).toBe('you sent ***');
  });

  it('leaves ordinary text alone', () => {
    expect(scrub('no such path', [''])).toBe('no such path');
  });
});
