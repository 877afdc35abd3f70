import { expect, it } from '@jest/globals';
import { sentenceOf } from './sentence.js';

it.each([
  ['it could not be reached', 'it could not be reached.'],
  ['What?', 'What?'],
  [' It ended. ', 'It ended.'],
])('ends the sentence %j', (text, sentence) => expect(sentenceOf(text)).toBe(sentence));
