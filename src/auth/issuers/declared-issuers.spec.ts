import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../config/index.js';
import { readDeclaredIssuers } from './declared-issuers.js';

const ONE = { id: 'acme', issuer: 'https://login.example/realms/acme', organization: 'acme' };
const OTHER = { ...ONE, id: 'other', issuer: 'https://other.example' };
const BY_CLAIM = {
  id: 'acme',
  issuer: 'https://multi.example',
  claims: { organization: 'org' },
};
const CLIENT = { clientId: 'hub', clientSecret: 'secret' };

async function faultsOf(...entries: object[]): Promise<string[]> {
  try {
    await readDeclaredIssuers(entries as never);
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ key, text }) => `${key} ${text}`);
    throw error;
  }
  return [];
}

describe('a declared issuer', () => {
  it('needs little, and has safe defaults', async () => {
    const [issuer] = await readDeclaredIssuers([ONE]);
    expect(issuer).toMatchObject({
      ...ONE,
      audiences: null,
      clockSkewMs: 30_000,
      organizations: null,
      claims: { subject: 'sub', groups: 'groups', scopes: 'scope' },
      introspection: null,
    });
    expect(issuer!.grants).toEqual({ everyone: ['a2a'], scopes: new Map(), groups: new Map() });
    expect(issuer!.algorithms).not.toContain('HS256');
  });

  it('says all that it may', async () => {
    const [issuer] = await readDeclaredIssuers([
      {
        ...ONE,
        organization: undefined,
        organizations: ['acme'],
        audiences: ['https://hub.example'],
        algorithms: ['ES256'],
        jwksUrl: 'https://login.example/keys',
        clockSkew: '5s',
        claims: { organization: 'org', groups: 'realm_access.roles' },
        grants: { everyone: [], scopes: { hub: ['a2a'] }, groups: { ops: ['admin'] } },
        introspection: { ...CLIENT, tokens: 'all', cache: '10s', requireAudience: false },
        oauth2: { tokenUrl: 'https://login.example/token', scopes: { hub: 'To call the hub.' } },
      },
    ]);
    expect(issuer).toMatchObject({
      organization: null,
      organizations: ['acme'],
      algorithms: ['ES256'],
      clockSkewMs: 5000,
      claims: { subject: 'sub', organization: 'org', groups: 'realm_access.roles' },
      grants: {
        everyone: [],
        scopes: new Map([['hub', ['a2a']]]),
        groups: new Map([['ops', ['admin']]]),
      },
      introspection: { tokens: 'all', cacheMs: 10_000, requireAudience: false },
      oauth2: { authorizationUrl: null },
    });
  });

  it('may let a claim name any organization, when it is the only one and says so', async () => {
    const [issuer] = await readDeclaredIssuers([{ ...BY_CLAIM, organizations: ['*'] }]);
    expect(issuer).toMatchObject({ organization: null, organizations: null });
  });

  it.each<[string, object[], RegExp]>([
    ['no id', [{ ...ONE, id: undefined }], /auth\.issuers\[0\]\.id/],
    ['the id of another', [ONE, { ...OTHER, id: 'acme' }], /\[1\]\.id is the id of an issuer/],
    ['an issuer twice', [ONE, { ...ONE, id: 'b' }], /\[1\]\.issuer is that of one before it/],
    ['an issuer that is no address', [{ ...ONE, issuer: 'acme' }], /\[0\]\.issuer must be an http/],
    [
      'a slash in its organization',
      [{ ...ONE, organization: 'a/b' }],
      /organization must be 1 to 200 .* without colons, slashes/,
    ],
    [
      'dots for its organization',
      [{ ...ONE, organization: '..' }],
      /organization must be 1 to 200 .* not \. or \.\./,
    ],
    [
      'a colon in one that it may name',
      [{ ...BY_CLAIM, organizations: ['a:b'] }],
      /organizations.* without colons, slashes/,
    ],
    ['no organization', [{ ...ONE, organization: undefined }], /organization must be given/],
    ['two organizations', [{ ...ONE, claims: { organization: 'org' } }], /and not both/],
    [
      'a list of organizations without a claim',
      [{ ...ONE, organizations: ['a'] }],
      /organizations needs/,
    ],
    ['no list of organizations', [BY_CLAIM], /\[0\]\.organizations must list .* \["\*"\] for any/],
    [
      'any organization beside another issuer',
      [ONE, { ...OTHER, ...BY_CLAIM, id: 'other', organizations: ['*'] }],
      /\[1\]\.organizations must list names/,
    ],
    ['any and some', [{ ...BY_CLAIM, organizations: ['*', 'acme'] }], /organizations must have/],
    ['a symmetric algorithm', [{ ...ONE, algorithms: ['HS256'] }], /algorithms/],
    ['the algorithm none', [{ ...ONE, algorithms: ['none'] }], /algorithms/],
    ['no audience', [{ ...ONE, audiences: [] }], /audiences/],
    ['a skew of a day', [{ ...ONE, clockSkew: '24h' }], /clockSkew must be a duration/],
    ['a grant that is no list', [{ ...ONE, grants: { scopes: { a: 'admin' } } }], /grants\.scopes/],
    [
      'an unknown grant',
      [{ ...ONE, grants: { groups: { a: ['root'] } } }],
      /must give a a list of/,
    ],
    ['an unknown member', [{ ...ONE, audience: 'x' }], /audience/],
    ['no client secret', [{ ...ONE, introspection: { clientId: 'a' } }], /clientSecret/],
    [
      'a second one that is asked about tokens',
      [
        { ...ONE, introspection: CLIENT },
        { ...OTHER, introspection: CLIENT },
      ],
      /\[1\]\.introspection is for one issuer only/,
    ],
  ])('is refused with %s', async (_, entries, fault) => {
    expect((await faultsOf(...entries)).join('\n')).toMatch(fault);
  });
});
