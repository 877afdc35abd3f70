import { describe, expect, it } from '@jest/globals';
import { textPart } from '../../protocol/build.js';
import { inputTypesOf } from './media-types.js';

describe('the media types of a message', () => {
  it('are those of its parts, or what text and data are by nature, each once', () => {
    const part = textPart('x');
    expect(
      inputTypesOf({
        parts: [
          part,
          { ...part, mediaType: 'text/markdown' },
          { ...part, content: { $case: 'data', value: {} } },
          { ...part, content: { $case: 'url', value: 'https://example.com/x' } },
          part,
        ],
      }),
    ).toEqual(['text/plain', 'text/markdown', 'application/json']);
  });
});
