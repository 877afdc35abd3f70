import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textPart } from '../../protocol/build.js';
import { textOf } from './message-text.js';

describe('the text of a message', () => {
  it('up to a limit is the beginning of the whole text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 5 })), fc.nat(20), (texts, limit) => {
        const parts = texts.map((text) => textPart(text));
        expect(textOf({ parts }, limit)).toBe(texts.join('\n').slice(0, limit));
      }),
    );
  });

  it('beyond its limit is not looked at', () => {
    const unseen = {
      ...textPart(''),
      get content(): never {
        throw new Error('looked at');
      },
    };
    expect(textOf({ parts: [textPart('abc'), unseen] }, 3)).toBe('abc');
  });
});
