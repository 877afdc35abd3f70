import { describe, expect, it } from '@jest/globals';
import { EMPTY_HEADER } from '../domain/event-header.js';
import type { ArtifactChunk, EventHeader } from '../task.js';
import { headerOfText, textOfHeader } from './header-text.js';

const artifact = (changes: Partial<ArtifactChunk> = {}): EventHeader => ({
  ...EMPTY_HEADER,
  artifact: { id: 'a', delegationId: null, append: false, lastChunk: false, ...changes },
});

describe('the header of an event as text', () => {
  it.each<[string | null, EventHeader]>([
    [null, EMPTY_HEADER],
    ['[2]', { ...EMPTY_HEADER, state: 2 }],
    ['[0]', { ...EMPTY_HEADER, state: 0 }],
    ['[2,"d"]', { ...EMPTY_HEADER, state: 2, endedDelegation: 'd' }],
    ['["a",0]', artifact()],
    ['["a",1]', artifact({ append: true })],
    ['["a",2]', artifact({ lastChunk: true })],
    ['["a",3,"d"]', artifact({ append: true, lastChunk: true, delegationId: 'd' })],
    ['["",0]', artifact({ id: '' })],
    ['["\\u0000\\ud800",0]', artifact({ id: '\u0000\ud800' })],
  ])('%s', (text, header) => {
    expect(textOfHeader(header)).toBe(text);
    expect(headerOfText(text)).toEqual(header);
  });

  it.each(['', '{', '{}', '7', '[]', '[null]', '[{}]'])('says nothing when it is %j', (text) => {
    expect(headerOfText(text)).toEqual(EMPTY_HEADER);
  });
});
