import { describe, expect, it } from '@jest/globals';
import { HubError } from '../../common/hub-error.js';
import { refuseMisread } from './domain/header-values.js';
import { readAuthentication, usedName } from './read-authentication.js';
import type { Making } from './schemes/scheme.js';
import { type AuthSchemeName, clientScheme } from './schemes/schemes.js';

function refusal(run: () => unknown): { field?: string; description?: string } {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(HubError);
    expect((error as HubError).reason).toBe('INVALID_PARAMS');
    return (error as HubError).violations[0] ?? {};
  }
  throw new Error('it was accepted');
}

/** What a webhook with these credentials is sent with. */
function made(scheme: AuthSchemeName, credentials: string): Making {
  const making: Making = { headers: {}, secrets: [], keys: [], tls: {} };
  const unused = () => Promise.reject(new Error('not of this scheme'));
  void clientScheme(scheme).prove({
    making,
    message: { webhookId: 'w', at: new Date(0), body: '{}' },
    credentials: () => credentials,
    hubToken: unused,
    byProfile: unused,
  });
  return making;
}

const v1 = (scheme: string, credentials: string) => readAuthentication({ scheme, credentials });

describe('refuseMisread', () => {
  it.each(['a\u202eb', '\u2066x\u2069', 'a\ud800', '\udc00a'])('refuses %j', (id) => {
    expect(refusal(() => refuseMisread(id, 'id'))).toMatchObject({ field: 'id' });
  });

  it.each(['plain', 'ünïcode', '\u05d0\u05d1', '\u{1f600}'])('lets %j be', (id) => {
    expect(() => refuseMisread(id, 'id')).not.toThrow();
  });
});

describe('usedName', () => {
  it('is the name that can be set again, not one the hub does not know', () => {
    expect(usedName(['Foo', 'Basic', 'Bearer'])).toBe('Basic');
    expect(usedName(['ApiKey'])).toBe('ApiKey');
    expect(usedName([])).toBeUndefined();
  });
});

describe('readAuthentication', () => {
  it('is null when nothing is asked for', () => {
    expect(readAuthentication(undefined)).toBeNull();
    expect(v1('', '')).toBeNull();
    expect(readAuthentication(undefined, { schemes: [] })).toBeNull();
  });

  it('reads the 1.0 form, whatever the case', () => {
    expect(v1('BEARER', 'abc')).toEqual({
      scheme: 'bearer',
      names: ['BEARER'],
      credentials: 'abc',
      profile: null,
    });
  });

  it('keeps all schemes of the 0.x form and uses the first one it knows', () => {
    const raw = { schemes: ['Digest', 'Basic', 'Bearer'], credentials: 'u:p' };
    expect(readAuthentication({ scheme: 'Digest', credentials: 'u:p' }, raw)).toEqual({
      scheme: 'basic',
      names: ['Digest', 'Basic', 'Bearer'],
      credentials: 'u:p',
      profile: null,
    });
  });

  it('reads the form of 0.2.5', () => {
    const http = { type: 'http', scheme: 'bearer', credentials: 'abc' };
    expect(readAuthentication(undefined, http)?.scheme).toBe('bearer');
    const key = { type: 'apiKey', credentials: 'X-Key: abc' };
    expect(readAuthentication(undefined, key)?.scheme).toBe('api-key');
  });

  it('refuses an unknown scheme and names the supported ones', () => {
    const { field, description } = refusal(() => v1('Digest', 'x'));
    expect(field).toBe('authentication.scheme');
    expect(description).toMatch(/Digest.*Bearer, Basic, ApiKey, HMAC, JWT, Profile/);
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'knows no scheme %s, which every object has a member of',
    (name) => {
      expect(refusal(() => v1(name, 'x')).field).toBe('authentication.scheme');
    },
  );

  it('refuses a scheme without credentials, and credentials without a scheme', () => {
    for (const scheme of ['Basic', 'ApiKey', 'HMAC', 'Profile']) {
      expect(refusal(() => v1(scheme, '')).field).toBe('authentication.credentials');
    }
    expect(refusal(() => v1('', 'abc')).field).toBe('authentication.scheme');
  });

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\rb', 'a\u0000b'])('refuses %j in credentials', (value) => {
    for (const scheme of ['Bearer', 'Basic', 'ApiKey', 'HMAC', 'JWT', 'Profile']) {
      expect(refusal(() => v1(scheme, value)).field).toBe('authentication.credentials');
    }
  });

  it('refuses line breaks in names and credentials that no header can carry', () => {
    expect(refusal(() => v1('Bea\nrer', 'x')).field).toBe('authentication.scheme');
    expect(refusal(() => v1('Bearer', 'schlüssel')).field).toBe('authentication.credentials');
  });

  it.each([
    ['Basic', '!!!'],
    ['Basic', 'YWJj'],
    ['ApiKey', 'X-Key:'],
    ['ApiKey', 'X-Key:  '],
    ['ApiKey', 'X Y: z'],
    ['ApiKey', 'X-Forwarded-For: 1.1.1.1'],
    ['ApiKey', '__proto__: z'],
  ])('refuses for %s the mistyped or hostile %j', (scheme, credentials) => {
    expect(refusal(() => v1(scheme, credentials)).field).toBe('authentication.credentials');
  });

  it.each(['jwt', 'JWT', 'Bearer'])(
    'takes %s without credentials for a token of the hub',
    (name) => {
      const requested = { scheme: 'jwt', names: [name], credentials: null, profile: null };
      expect(v1(name, '')).toEqual(requested);
      expect(readAuthentication(undefined, { schemes: ['Digest', name] })).toEqual({
        ...requested,
        names: ['Digest', name],
      });
    },
  );

  it('refuses credentials for JWT, which would never be sent', () => {
    expect(refusal(() => v1('JWT', 'abc')).description).toMatch(/left out.*Bearer/);
  });

  it('reads the name of a profile', () => {
    const named = {
      scheme: 'profile',
      names: ['Profile'],
      credentials: null,
      profile: 'billing-1',
    };
    expect(v1('Profile', 'billing-1')).toEqual(named);
    for (const name of ['Billing', 'a b', '../x', 'x'.repeat(64), "'; DROP"]) {
      expect(refusal(() => v1('profile', name)).field).toBe('authentication.credentials');
    }
  });

  it('takes HMAC secrets of Standard Webhooks, several during a rotation', () => {
    const [one, two] = [24, 64].map(
      (bytes) => `whsec_${Buffer.alloc(bytes, bytes).toString('base64')}`,
    );
    expect(v1('HMAC', one!)).toMatchObject({ scheme: 'hmac', credentials: one });
    expect(v1('hmac', `${one} ${two}`)).toMatchObject({ credentials: `${one} ${two}` });
  });

  it.each([
    ['no prefix', Buffer.alloc(32).toString('base64'), /whsec_/],
    ['no base64', 'whsec_!!!!', /base64/],
    ['base64 without its padding', 'whsec_' + 'A'.repeat(33), /base64/],
    ['too few bytes', `whsec_${Buffer.alloc(23).toString('base64')}`, /24 to 64 bytes.*not 23/],
    ['too many bytes', `whsec_${Buffer.alloc(65).toString('base64')}`, /24 to 64 bytes.*not 65/],
    ['a private key', `whsk_${Buffer.alloc(32).toString('base64')}`, /whsec_/],
    ['one good, one bad', `whsec_${Buffer.alloc(32).toString('base64')} whsec_x`, /base64/],
    ['only spaces', '   ', /whsec_/],
  ])('refuses an HMAC secret with %s, and says what it must be', (_, secret, words) => {
    const { field, description } = refusal(() => v1('HMAC', secret));
    expect(field).toBe('authentication.credentials');
    expect(description).toMatch(words);
    expect(description).not.toContain(secret.slice(6).trim() || 'nothing');
  });

  it("refuses an API key in one of the hub's own headers", () => {
    const own = ['Host', 'Content-Length', 'webhook-id', 'A2A-Version', 'User-Agent'];
    for (const name of [...own, 'Accept-Encoding', 'Proxy-Authorization', 'proxy-connection']) {
      expect(refusal(() => v1('ApiKey', `${name}: x`)).field).toBe('authentication.credentials');
    }
  });

  it.each(
    [
      'X-HTTP-Method-Override X-HTTP-Method X-Method-Override X-Real-IP X-Original-URL X-Rewrite-URL',
      'Cookie Origin Referer Forwarded X-Forwarded-Host X-Forwarded-Auth X-Client-IP True-Client-IP',
      'X-Auth-User X-Remote-User X-Accel-Redirect Sec-WebSocket-Key Proxy-Auth-Key Range Accept',
      'Metadata-Flavor Metadata Metadata-Token X-aws-ec2-metadata-token X-Google-Metadata-Request',
      'X-Amz-Security-Token X-Original-Authorization Idempotency-Key Content-Signature Transfer-Encoding',
    ]
      .join(' ')
      .split(' '),
  )('refuses an API key in %s, which may steer a server or a proxy', (name) => {
    const { field, description } = refusal(() => v1('ApiKey', `${name}: x`));
    expect([field, description]).toEqual([
      'authentication.credentials',
      expect.stringContaining(`the header ${name}, which cannot carry an API key`),
    ]);
  });

  it.each([
    ': x',
    ':x',
    ' : x',
    'X My Key: x',
    'X My Key:x',
    ' X-Key: x',
    'X(Key): x',
    'X-Key : x',
  ])('refuses an API key in a header without a proper name (%j)', (credentials) => {
    const { field, description } = refusal(() => v1('ApiKey', credentials));
    expect(field).toBe('authentication.credentials');
    expect(description).toMatch(/^must be Header-Name: value, .* name that is not empty/);
  });

  it('says all of the rule for names when it refuses one', () => {
    const { description } = refusal(() => v1('ApiKey', 'Cookie: x'));
    const endings =
      'Key Token Secret Auth Authorization Authentication Signature Password Credential Credentials';
    for (const ending of endings.split(' ')) {
      expect(v1('ApiKey', `X-Acme-${ending}: x`)).toMatchObject({ scheme: 'api-key' });
      expect(description).toMatch(new RegExp(`\\b${ending}\\b`));
    }
    const beginnings =
      'Proxy- Sec- Content- Forwarded- X-Forwarded- X-Original- X-Rewrite- X-HTTP- X-Amz- X-AWS- X-Goog- X-Google- X-MS- Metadata Webhook- A2A- X-A2A-';
    for (const beginning of [...beginnings.split(' '), 'Idempotency-']) {
      expect(refusal(() => v1('ApiKey', `${beginning}Key: x`)).description).toBe(
        description?.replace('Cookie', `${beginning}Key`),
      );
      expect(description).toContain(beginning);
    }
  });

  it.each(
    'Authorization X-API-Key apikey PRIVATE-TOKEN X-Acme-Auth api_key Ocp-Apim-Subscription-Key X-Secret X-Auth-Token'.split(
      ' ',
    ),
  )('takes one in %s', (name) => {
    expect(v1('ApiKey', `${name}: x`)).toMatchObject({ scheme: 'api-key' });
  });

  it('refuses members of the wrong type', () => {
    expect(refusal(() => readAuthentication(undefined, { schemes: 'Bearer' })).field).toBe(
      'authentication.schemes',
    );
    expect(
      refusal(() => readAuthentication(undefined, { schemes: ['Bearer'], credentials: 7 })).field,
    ).toBe('authentication.credentials');
  });
});

describe('the secrets of a proof', () => {
  it.each([
    ['bearer', 'abc.def', ['abc.def', 'Bearer abc.def']],
    ['basic', 'user:pass:word', ['user:pass:word', 'pass:word', 'dXNlcjpwYXNzOndvcmQ=']],
    ['basic', 'dXNlcjpwYXNzOndvcmQ=', ['user:pass:word', 'pass:word', 'dXNlcjpwYXNzOndvcmQ=']],
    ['api-key', 'X-Key: abc', ['abc']],
  ] as const)('holds what a receiver of %s %s could tell', (scheme, credentials, forms) => {
    expect(made(scheme, credentials).secrets).toEqual(expect.arrayContaining([...forms]));
  });
});

describe('the header of a proof', () => {
  it('makes a Bearer header', () => {
    expect(made('bearer', 'abc').headers).toEqual({ authorization: 'Bearer abc' });
  });

  it('encodes a Basic pair and leaves what is encoded already', () => {
    const encoded = Buffer.from('user:päss').toString('base64');
    expect(made('basic', 'user:päss').headers).toEqual({ authorization: `Basic ${encoded}` });
    expect(made('basic', encoded).headers).toEqual({ authorization: `Basic ${encoded}` });
  });

  it('puts an API key into its own header, or into X-API-Key', () => {
    expect(made('api-key', 'X-Service-Key: abc').headers).toEqual({ 'x-service-key': 'abc' });
    expect(made('api-key', 'X-Service-Key:abc').headers).toEqual({ 'x-service-key': 'abc' });
    expect(made('api-key', 'id:secret').headers).toEqual({ 'x-api-key': 'id:secret' });
    expect(made('api-key', 'abc').headers).toEqual({ 'x-api-key': 'abc' });
  });
});
