import { describe, expect, it } from '@jest/globals';
import { storable } from './text.js';

describe('storable', () => {
  it('keeps ordinary text, whole surrogate pairs included', () => {
    expect(storable('naïve 😀\n')).toBe('naïve 😀\n');
    expect(storable(null)).toBeNull();
  });

  it('drops U+0000 and replaces lone surrogates', () => {
    expect(storable('a\u0000b\uD800c\uDC00')).toBe('ab\uFFFDc\uFFFD');
  });
});
