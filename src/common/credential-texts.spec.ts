import { describe, expect, it } from '@jest/globals';
import { withoutCredentials } from './credential-texts.js';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';
const KEY = 'hub_0199f1c28d117b529c3e4a5b6c7d8e9f_notTheSecretOfThisKey';

describe('a text without credentials', () => {
  it.each([
    ['a bearer token', 'got Bearer abc.def and went', 'got Bearer *** and went'],
    ['basic credentials', 'Authorization: basic dXNlcjpwYXNz', 'Authorization: basic ***'],
    ['another scheme', 'authorization=Token0815, then', 'authorization=***, then'],
    ['a header in JSON', '{"X-API-Key": "s3cret-value"}', '{"X-API-Key": "***"}'],
    [
      'a header in JSON in JSON',
      '{"a":"{\\"cookie\\":\\"s3cret-value\\"}"}',
      '{"a":"{\\"cookie\\":\\"***\\"}"}',
    ],
    ['a JSON Web Token', `refused ${JWT}, expired`, 'refused ***, expired'],
    ['one that was cut off', `refused ${JWT.slice(0, 30)}`, 'refused ***'],
    ['an API key', `?k=${KEY}!`, '?k=hub_0199f1c28d117b529c3e4a5b6c7d8e9f_***!'],
    ['a password in a URL', 'https://me:pass@host/a', 'https://***@host/a'],
    ['a user in a URL', 'postgres://me@host/a', 'postgres://***@host/a'],
    ['a token in a query', '/a?x=1&access_token=abc&y=2', '/a?x=1&access_token=***&y=2'],
  ])('hides %s', (_, text, shown) => {
    expect(withoutCredentials(text)).toBe(shown);
  });

  it.each([
    'an agent answered 500 at https://agent.example:443/a2a?tenant=x',
    'a2a_hub_audit_export_missed_entries_total',
    '{"url":"/a/b@c","at":"2026-01-01T00:00:00Z"}',
    'authorization: is not for syslog',
  ])('leaves %j as it is', (text) => {
    expect(withoutCredentials(text)).toBe(text);
  });

  it.each(['bearer ', 'eyJ-', '://', 'cookie:', 'hub_a_', '?key=', 'a@'])(
    'takes no more than the length of a text made for it: %j',
    (piece) => {
      const begun = performance.now();
      withoutCredentials(piece.repeat(200_000 / piece.length));
      expect(performance.now() - begun).toBeLessThan(500);
    },
  );
});
