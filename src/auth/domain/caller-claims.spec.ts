import { describe, expect, it } from '@jest/globals';
import { callerOf, type ClaimRules, TokenRefused } from './caller-claims.js';

const RULES: ClaimRules = {
  claims: { subject: 'sub', organization: 'org', groups: 'groups', scopes: 'scope' },
  organization: null,
  organizations: null,
  grants: {
    everyone: ['a2a'],
    scopes: new Map([['hub:push', ['push']]]),
    groups: new Map([['platform', ['admin', 'agents']]]),
  },
};
const TOKEN = { sub: 'alice', org: 'acme' };

const caller = (token: Record<string, unknown>, rules: Partial<ClaimRules> = {}) =>
  callerOf({ ...TOKEN, ...token }, { ...RULES, ...rules });

describe('the caller of a token', () => {
  it('has what every caller has, and what its scopes and groups grant', () => {
    expect(caller({})).toEqual({
      subject: 'alice',
      organization: 'acme',
      groups: [],
      scopes: ['a2a'],
    });
    expect(caller({ scope: 'openid hub:push', groups: ['staff', 'platform'] })).toEqual({
      subject: 'alice',
      organization: 'acme',
      groups: ['staff', 'platform'],
      scopes: ['a2a', 'admin', 'agents', 'push'],
    });
    expect(caller({ scope: ['hub:push', 7] }).scopes).toEqual(['a2a', 'push']);
  });

  it.each([['admin'], ['a2a'], ['constructor'], ['__proto__']])(
    'gets nothing by a scope or group %s that nothing was granted for',
    (name) => {
      const grants = { ...RULES.grants, everyone: [] };
      expect(caller({ scope: name, groups: [name] }, { grants }).scopes).toEqual([]);
    },
  );

  it('is found at paths through objects, and under names that have dots', () => {
    const claims = {
      subject: 'https://acme.example/id',
      organization: 'ctx.org',
      groups: 'realm_access.roles',
      scopes: 'scp',
    };
    const token = {
      'https://acme.example/id': 'bob',
      ctx: { org: ['umbrella'] },
      realm_access: { roles: ['platform'] },
      scp: ['hub:push'],
    };
    expect(callerOf(token, { ...RULES, claims })).toEqual({
      subject: 'bob',
      organization: 'umbrella',
      groups: ['platform'],
      scopes: ['a2a', 'admin', 'agents', 'push'],
    });
  });

  it('is of the organization of its issuer, whatever the token says', () => {
    expect(caller({ org: 'other' }, { organization: 'acme' }).organization).toBe('acme');
  });

  it.each([
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject of blanks', { sub: ' \u00a0\u200b' }],
    ['a subject that is no text', { sub: { toString: 'x' } }],
    ['a subject with a control character', { sub: 'ali\u0000ce' }],
    ['half of a character in the subject', { sub: 'ali\ud800ce' }],
    ['a very long subject', { sub: 'a'.repeat(256) }],
    ['no organization', { org: undefined }],
    ['two organizations', { org: ['acme', 'umbrella'] }],
    ['an organization of blanks', { org: '   ' }],
    ['an organization with a line break', { org: 'ac\nme' }],
    ['an organization with a colon', { org: 'acme:eu' }],
    ['an organization with a slash', { org: '/acme' }],
    ['an organization with a blank at its end', { org: 'acme ' }],
    ['an organization that is a dot', { org: '.' }],
    ['an organization that is two dots', { org: '..' }],
    ['an organization its issuer may not name', { org: 'umbrella' }],
  ])('is refused with %s', (_, token) => {
    const rules = { organizations: ['acme'] };
    expect(() => caller(token, rules)).toThrow(TokenRefused);
  });

  it.each(['acme:eu', 'acme/eu', 'acme ', '\u00a0acme', 'a\u2028:b'])(
    'says that %s is no id of an organization',
    (org) => {
      expect(() => caller({ org })).toThrow(
        expect.objectContaining({
          fault: 'invalid-organization',
          message: expect.stringMatching(/in its claim org .*without colons, slashes and blanks/),
        }),
      );
    },
  );
});
