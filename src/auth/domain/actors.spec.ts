import { describe, expect, it } from '@jest/globals';
import { actClaim, actorsOf, MAX_ACTORS, type NamedParty } from './actors.js';
import { TokenRefused } from './caller-claims.js';

const ISSUER = 'https://login.example';

/** So many actors, each of which acts for the next. */
const nested = (depth: number): object =>
  actClaim(
    'a0',
    Array.from({ length: depth - 1 }, (_, at) => ({ iss: ISSUER, sub: `b${at}` })),
  );

describe('the actors of a token', () => {
  it('are the last one first, each with its issuer', () => {
    const act = { sub: 'assistant', act: { iss: 'https://x.example', sub: 'bot', client_id: 'c' } };
    expect(actorsOf(act, ISSUER)).toEqual([
      { iss: ISSUER, sub: 'assistant' },
      { iss: 'https://x.example', sub: 'bot' },
    ]);
    expect(actorsOf(undefined, ISSUER)).toEqual([]);
  });

  it('are as many as a chain may have', () => {
    expect(actorsOf(nested(MAX_ACTORS), ISSUER)).toHaveLength(MAX_ACTORS);
    expect(() => actorsOf(nested(MAX_ACTORS + 1), ISSUER)).toThrow(/more than 8 actors/);
    expect(() => actorsOf(nested(200), ISSUER)).toThrow(TokenRefused);
  });

  it.each([
    ['null', null],
    ['a text', 'assistant'],
    ['a list', [{ sub: 'a' }]],
    ['nobody', {}],
    ['no text as subject', { sub: 7 }],
    ['an empty subject', { sub: '' }],
    ['a line break', { sub: 'a\nb' }],
    ['half a pair', { sub: '\ud800' }],
    ['a long subject', { sub: 'x'.repeat(256) }],
    ['no text as issuer', { sub: 'a', iss: {} }],
    ['nobody further in', { sub: 'a', act: { iss: ISSUER } }],
  ])('are refused when the claim is or has %s', (_, act) => {
    expect(() => actorsOf(act, ISSUER)).toThrow(/without a subject/);
  });

  it('are refused when they are too long together, for they go on in a header', () => {
    const before = Array.from({ length: 7 }, () => ({ iss: ISSUER, sub: 'x'.repeat(255) }));
    expect(actorsOf(actClaim('a', before), ISSUER)).toHaveLength(8);
    const long = before.map((each) => ({ ...each, iss: 'y'.repeat(255) }));
    expect(() => actorsOf(actClaim('a', long), ISSUER)).toThrow(/too long/);
  });
});

it('a hub acts for those that acted before it', () => {
  const before: NamedParty[] = [
    { iss: 'i', sub: 'x' },
    { iss: 'j', sub: 'y' },
  ];
  expect(actClaim('hub', before)).toEqual({
    sub: 'hub',
    act: { iss: 'i', sub: 'x', act: { iss: 'j', sub: 'y' } },
  });
  expect(actClaim('hub', [])).toEqual({ sub: 'hub' });
});
