import { describe, expect, it } from '@jest/globals';
import type { DeclaredEntry } from '../../config/index.js';
import { readDeclaredHubs } from './declared-hubs.js';

const HUB = { issuer: 'https://a.example', callers: ['p1'], organization: 'partner' };
const problemsOf = (hubs: DeclaredEntry[], issuers: DeclaredEntry[] = []): Promise<string[]> =>
  readDeclaredHubs(hubs, issuers).then(
    () => [],
    (error: { problems: { key: string; text: string }[] }) =>
      error.problems.map(({ key, text }) => `${key} ${text}`),
  );

describe('the hubs of auth.hubs', () => {
  it('have their keys where hubs publish them, and give their callers a2a alone', async () => {
    const [read] = await readDeclaredHubs([{ ...HUB, issuer: 'https://a.example/' }], []);
    expect(read).toMatchObject({
      jwksUrl: 'https://a.example/.well-known/jwks.json',
      scopes: ['a2a'],
      audiences: null,
    });
  });

  it.each<[string, object, RegExp]>([
    ['no organization', { organization: undefined }, /organization must be given/],
    ['a slash in its organization', { organization: 'a/b' }, /without colons, slashes/],
    ['two kinds of organization', { organizations: ['x'] }, /not both/],
    ['nobody who calls', { callers: [] }, /callers/],
    ['everybody as the hub', { callers: ['anonymous'] }, /not admin or anonymous/],
    ['the operator as the hub', { callers: ['admin'] }, /not admin or anonymous/],
    ['a right of administration', { scopes: ['admin'] }, /scopes/],
    ['no address', { issuer: 'hub' }, /issuer/],
    ['an unknown member', { key: 'x' }, /key/],
  ])('are refused with %s', async (_, changes, why) => {
    expect((await problemsOf([{ ...HUB, ...changes }])).join()).toMatch(why);
  });

  it('are told apart from each other and from issuers', async () => {
    const other = { ...HUB, issuer: 'https://b.example' };
    expect((await problemsOf([HUB, other])).join()).toContain('a principal of a hub before it');
    expect((await problemsOf([HUB, { ...HUB, callers: ['p2'] }])).join()).toContain('before it');
    expect((await problemsOf([HUB], [{ issuer: HUB.issuer }])).join()).toContain('auth.issuers');
  });
});
