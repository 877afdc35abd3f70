import { describe, expect, it } from '@jest/globals';
import { storedReference } from '../../common/secret-references/referred-secret.js';
import type { Agent } from '../agent.js';
import type { AgentAuthentication } from '../agent-authentication.js';
import { Locked } from '../endpoint/sealed-json.js';
import { requiredSecurity, lackingSecurity, sentCredentials } from './required-security.js';
import { parseCard } from './parse-card.js';

const MODERN = {
  key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
  query: { apiKeySecurityScheme: { location: 'query', name: 'k' } },
  basic: { httpAuthSecurityScheme: { scheme: 'Basic' } },
  bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } },
  oauth: {
    oauth2SecurityScheme: {
      flows: { clientCredentials: { tokenUrl: 'https://login.example/token', scopes: {} } },
    },
  },
  oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://id.example/.well-known' } },
  mtls: { mtlsSecurityScheme: {} },
};
const LEGACY = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  basic: { type: 'http', scheme: 'Basic' },
  oauth: {
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl: 'https://login.example/token', scopes: {} } },
  },
};
const TOKEN: AgentAuthentication = {
  type: 'oauth2-client-credentials',
  tokenUrl: 'https://own.example/token',
  scopes: ['read'],
};

const CERTIFICATE: AgentAuthentication = { type: 'mtls', certificate: 'a', privateKey: 'b' };

type Set = Partial<Pick<Agent, 'credentials' | 'authentication'>>;
const modern = (requirements: object[], set: Set = {}) => ({
  card: parseCard({
    name: 'A',
    supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'JSONRPC' }],
    securitySchemes: MODERN,
    securityRequirements: requirements.map((schemes) => ({ schemes })),
  }),
  credentials: {},
  authentication: null,
  ...set,
});
const legacy = (security: object[], set: Set = {}) => ({
  card: parseCard({
    name: 'A',
    url: 'https://a.example',
    protocolVersion: '0.3.0',
    securitySchemes: LEGACY,
    security,
  }),
  credentials: {},
  authentication: null,
  ...set,
});

describe('what the card of an agent asks for', () => {
  it.each([
    [{ key: [] }, {}, 'an API key in the header X-Key: set credentials.X-Key'.toLowerCase()],
    [{ query: [] }, { credentials: { k: 'x' } }, 'which the hub sends in headers only'],
    [{ basic: [] }, {}, 'of the scheme Basic: set credentials.authorization'],
    [{ basic: [] }, { credentials: { authorization: 'Bearer x' } }, 'is of another scheme'],
    [{ basic: [] }, { authentication: TOKEN }, 'of the scheme Basic'],
    [{ bearer: [] }, {}, 'set credentials.authorization or authentication'],
    [
      { oauth: ['read', 'write'] },
      {},
      'an OAuth 2.0 access token of https://login.example/token with the scopes read, write: set authentication',
    ],
    [
      { oauth: ['read', 'write'] },
      { authentication: TOKEN },
      'write: add to authentication.scopes',
    ],
    [{ oidc: [] }, {}, 'an access token of an OpenID provider (https://id.example/.well-known)'],
    [{ mtls: [] }, {}, 'a client certificate (mTLS): set authentication.certificate'],
    [{ mtls: [] }, { authentication: TOKEN }, 'set authentication.certificate'],
    [{ oauth: ['read'] }, { authentication: CERTIFICATE }, 'set authentication'],
    [{ bearer: [] }, { authentication: CERTIFICATE }, 'set credentials.authorization'],
    [{ none: [] }, {}, 'none, a security scheme that it does not describe'],
    [{ constructor: [] }, {}, 'constructor, a security scheme that it does not describe'],
  ])('%j with %j: it is missing', (schemes, set, text) => {
    const [one] = requiredSecurity(modern([schemes], set));
    expect(one).toMatchObject({ schemes: Object.keys(schemes), isMet: false });
    expect(one?.missing.join().toLowerCase()).toContain(text.toLowerCase());
  });

  it.each([
    [{}, {}],
    [{ key: [] }, { credentials: { 'x-key': 'x' } }],
    [{ basic: [] }, { credentials: { authorization: 'basic eDp5' } }],
    [{ bearer: [] }, { authentication: TOKEN }],
    [{ oauth: ['read'] }, { authentication: TOKEN }],
    [{ oauth: ['read'] }, { credentials: { authorization: 'Bearer x' } }],
    [{ oauth: ['other'] }, { authentication: { ...TOKEN, scopes: undefined } }],
    [{ oauth: ['other'] }, { authentication: new Locked('v1:k:x', 'why') }],
    [{ oidc: [] }, { credentials: { authorization: '\u0000v1:gone:x' } }],
    [
      { oauth: [] },
      {
        credentials: {
          authorization: storedReference({
            reference: 'env:X',
            prefix: 'Bearer ',
            grantee: 'hub',
          }),
        },
      },
    ],
  ])('%j is there', (schemes, set) => {
    expect(requiredSecurity(modern([schemes], set as Set))).toEqual([
      { schemes: Object.keys(schemes), isMet: true, missing: [] },
    ]);
  });

  it('is one of several, and all of that', () => {
    const agent = modern([{ key: [], oauth: [] }, { basic: [] }]);
    expect(requiredSecurity(agent).map(({ missing }) => missing.length)).toEqual([2, 1]);
    expect(lackingSecurity(agent)).toMatch(/^the card asks for .*, and .*; or for HTTP auth/);
    const set = { credentials: { authorization: 'Basic eDp5' } };
    expect(lackingSecurity({ ...agent, ...set })).toBeUndefined();
    expect(lackingSecurity(modern([]))).toBeUndefined();
  });

  it('is said by 0.3 as `security`', () => {
    const lacking = requiredSecurity(legacy([{ oauth: ['read'] }, { key: [] }, { basic: [] }]));
    expect(lacking.map(({ missing }) => missing[0])).toEqual([
      'an OAuth 2.0 access token of https://login.example/token with the scope read: set authentication',
      'an API key in the header X-Key: set credentials.x-key',
      'HTTP authentication of the scheme Basic: set credentials.authorization',
    ]);
  });

  it('shows names of a card without line ends, and not at any length', () => {
    const name = `a\nb${'c'.repeat(300)}`;
    const [{ schemes, missing } = { schemes: [], missing: [] }] = requiredSecurity(
      modern([{ [name]: [] }]),
    );
    expect([schemes[0]?.length, missing[0]?.includes('\n')]).toEqual([200, false]);
  });

  it('is told beside the names of what is sent, never with a value', () => {
    const credentials = { 'x-key': 'value', authorization: 'Bearer value' };
    expect(sentCredentials({ ...modern([]), credentials, authentication: TOKEN })).toBe(
      'the headers authorization, x-key and what authentication of the type oauth2-client-credentials gives',
    );
    expect(sentCredentials(modern([]))).toBe('no credentials');
  });
});
