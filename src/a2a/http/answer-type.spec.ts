import { describe, expect, it } from '@jest/globals';
import { answerType, failureType } from './answer-type.js';

const A2A = 'application/a2a+json';
const JSON_TYPE = 'application/json; charset=utf-8';

describe('the media type of an answer', () => {
  it.each<[string | undefined, string]>([
    [undefined, A2A],
    ['', A2A],
    ['*/*', A2A],
    ['application/*', A2A],
    ['text/html', A2A],
    ['text/event-stream', A2A],
    ['nonsense', A2A],
    [',;=;q', A2A],
    ['application/a2a+json', A2A],
    ['application/a2a+json, application/json', A2A],
    ['application/json', JSON_TYPE],
    ['Application/JSON', JSON_TYPE],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['application/json; profile="a,b;q=0"; q=0.5', JSON_TYPE],
    ['application/json, text/plain, */*', JSON_TYPE],
    ['application/json;q=0.5, */*', A2A],
    ['application/json, application/a2a+json', JSON_TYPE],
    ['application/json;q=0.8, application/a2a+json;q=0.9', A2A],
    ['application/json; q=0.9, application/a2a+json; q=0.8', JSON_TYPE],
    ['application/a2a+json;q=0, */*', JSON_TYPE],
    ['application/a2a+json;q=0, application/json;q=0', A2A],
    ['text/event-stream, application/json;q=0.1', JSON_TYPE],
  ])('for Accept: %s is %s', (accept, type) => {
    expect(answerType([A2A, JSON_TYPE], { accept })).toBe(type);
  });

  it('is the only one of a binding that has one', () => {
    expect(answerType([JSON_TYPE], { accept: A2A })).toBe(JSON_TYPE);
  });

  it('is found in the largest of headers at once', () => {
    const since = performance.now();
    for (const text of [';a=', ';a="', 'x/y;', ',', '; ', 'a/b,']) {
      answerType([A2A, JSON_TYPE], { accept: text.repeat(16_384 / text.length) });
    }
    expect(performance.now() - since).toBeLessThan(1000);
  });
});

describe('the media type of a failure', () => {
  it.each<[string | undefined, string]>([
    ['text/event-stream', JSON_TYPE],
    ['Text/Event-Stream; charset=utf-8', JSON_TYPE],
    ['text/event-stream, text/plain', JSON_TYPE],
    ['text/event-stream, application/a2a+json', A2A],
    ['text/event-stream, */*', A2A],
    ['text/event-streams', A2A],
    ['application/json', JSON_TYPE],
    ['text/html', A2A],
    [undefined, A2A],
  ])('for Accept: %s is %s', (accept, type) => {
    expect(failureType([A2A, JSON_TYPE], { accept })).toBe(type);
  });

  it('is the only one of a binding that has one', () => {
    expect(failureType([A2A], { accept: 'text/event-stream' })).toBe(A2A);
  });
});
