import { beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { SecretBox, SecretLockedError } from '../../common/secret-box.js';
import { isReferred, storedReference } from '../../common/secret-references/referred-secret.js';
import { SecretUnavailableError } from '../../common/secret-references/secret-references.js';
import { ed25519KeyOf, hmacSecretOf, timestampOf } from './domain/standard-webhooks.js';
import { AuthImpossibleError } from './auth-failure.js';
import type { AuthProfile } from './auth-profile.js';
import { Authenticator } from './authenticator.js';

const SECRETS = new SecretBox([{ id: 'unit', key: Buffer.alloc(32, 1).toString('base64') }]);
const MESSAGE = { webhookId: 'cfg.7', at: new Date(), body: '{"a":1}' };
const WEBHOOK = {
  taskId: 't1',
  organization: 'acme',
  url: 'https://hooks.example.com/a',
  authScheme: null,
  authProfile: null,
  sealedCredentials: null,
  sealedSigningKeys: null,
};
const [OLD, NEW, OTHER] = [1, 2, 3].map((fill) => hmacSecretOf(Buffer.alloc(32, fill))) as [
  string,
  string,
  string,
];

let automatic: AuthProfile | undefined;
let named: AuthProfile | undefined;
let watched: string[];
let refused: string[];
let authenticator: Authenticator;
/** What a reference stands for; undefined: it cannot be read. */
let known: string | undefined;
/** What it stands for once it is read again; undefined: the same. */
let newest: string | undefined;
const resolve = (): Promise<never> =>
  Promise.reject(new SecretUnavailableError('The secret vault:a#b cannot be read.'));

function profile(changes: Partial<AuthProfile> & { readonly secret?: string }): AuthProfile {
  const { secret, ...rest } = changes;
  return {
    id: 'p1',
    name: 'receiver',
    parameters: {},
    sealedSecret: secret === undefined ? null : SECRETS.seal(secret),
    sealedPrevious: null,
    previousUntil: null,
    ...rest,
  } as AuthProfile;
}

function verifies(secret: string, signature: string | undefined): boolean {
  const headers = {
    'webhook-id': MESSAGE.webhookId,
    'webhook-timestamp': timestampOf(MESSAGE.at),
    'webhook-signature': signature ?? '',
  };
  try {
    new Webhook(secret).verify(MESSAGE.body, headers);
    return true;
  } catch {
    return false;
  }
}

beforeEach(() => {
  automatic = named = newest = undefined;
  watched = [];
  refused = [];
  authenticator = new Authenticator(
    SECRETS,
    { usable: () => Promise.resolve(named), automaticFor: () => automatic },
    { issue: ({ url, taskId }) => Promise.resolve(`jwt-for-${taskId}-at-${url}`) },
    {
      get: async (_, secret, again) => `token-by-${(await again?.()) ?? secret}`,
      refused: (_, token) => refused.push(token) > 0,
    },
    { used: ({ owner }) => void watched.push((owner as { profile: string }).profile) },
    {
      current: (stored) => (isReferred(stored) ? known : stored),
      resolve,
      refresh: () => Promise.resolve(void (known = newest ?? known)),
    },
  );
});

describe('Authenticator', () => {
  it('proves nothing when nothing is asked for', async () => {
    const proof = await authenticator.prove(WEBHOOK, MESSAGE);
    expect(proof).toEqual({ headers: {}, secrets: [], tls: {} });
  });

  it('sends what the client gave, and hides it', async () => {
    const sealedCredentials = SECRETS.seal('abc-secret');
    const webhook = { ...WEBHOOK, authScheme: 'bearer', sealedCredentials } as const;
    const { headers, secrets } = await authenticator.prove(webhook, MESSAGE);
    expect(headers).toEqual({ authorization: 'Bearer abc-secret' });
    expect(secrets).toContain('abc-secret');
  });

  it('sends what the secret of a profile refers to; what cannot be read, or used, waits', async () => {
    const referred = storedReference({ reference: 'vault:a#b', prefix: '', grantee: 'hub' });
    automatic = profile({ scheme: 'bearer', secret: referred });
    known = 'abc-secret';
    const { headers, secrets } = await authenticator.prove(WEBHOOK, MESSAGE);
    expect(headers).toEqual({ authorization: 'Bearer abc-secret' });
    expect(secrets).toContain('abc-secret');
    known = 'has spaces';
    const unusable = authenticator.prove(WEBHOOK, MESSAGE);
    await expect(unusable).rejects.toThrow(/auth profile receiver refers to/);
    await expect(unusable).rejects.not.toThrow(/has spaces/);
    known = undefined;
    // As with a key that is missing, the stream is given back and no attempt counts.
    await expect(authenticator.prove(WEBHOOK, MESSAGE)).rejects.toThrow(SecretLockedError);
  });

  it('reads the client secret again that a token server does not take', async () => {
    const referred = storedReference({ reference: 'vault:a#b', prefix: '', grantee: 'hub' });
    automatic = profile({ scheme: 'oauth2', secret: referred });
    known = 'old';
    newest = 'new';
    const { headers } = await authenticator.prove(WEBHOOK, MESSAGE);
    expect(headers).toEqual({ authorization: 'Bearer token-by-new' });
  });

  it('sends no key in a header that may steer a server, however it came to be stored', async () => {
    const sealedCredentials = SECRETS.seal('X-HTTP-Method-Override: DELETE');
    const webhook = { ...WEBHOOK, authScheme: 'api-key', sealedCredentials } as const;
    await expect(authenticator.prove(webhook, MESSAGE)).rejects.toThrow(
      'the header X-HTTP-Method-Override cannot carry an API key',
    );
  });

  it('signs by every secret of the client, and by the signing keys besides', async () => {
    const webhook = {
      ...WEBHOOK,
      authScheme: 'hmac',
      sealedCredentials: SECRETS.seal(`${NEW} ${OLD}`),
      sealedSigningKeys: SECRETS.seal(`${OTHER} ${ed25519KeyOf(Buffer.alloc(32, 4))}`),
    } as const;
    const { headers, secrets } = await authenticator.prove(webhook, MESSAGE);
    const signature = headers['webhook-signature'];
    expect([OLD, NEW, OTHER].map((secret) => verifies(secret, signature))).toEqual([
      true,
      true,
      true,
    ]);
    expect(signature).toMatch(/ v1a,/);
    expect(secrets).toEqual(expect.arrayContaining([OLD, NEW, OTHER]));
  });

  it('signs besides any other scheme', async () => {
    const sealedCredentials = SECRETS.seal('user:pass');
    const sealedSigningKeys = SECRETS.seal(OLD);
    const webhook = {
      ...WEBHOOK,
      authScheme: 'basic',
      sealedCredentials,
      sealedSigningKeys,
    } as const;
    const { headers } = await authenticator.prove(webhook, MESSAGE);
    expect(headers['authorization']).toMatch(/^Basic /);
    expect(verifies(OLD, headers['webhook-signature'])).toBe(true);
  });

  it('signs a token of the hub for this task and address, and hides it', async () => {
    const { headers, secrets } = await authenticator.prove(
      { ...WEBHOOK, authScheme: 'jwt' },
      MESSAGE,
    );
    expect(headers).toEqual({ authorization: 'Bearer jwt-for-t1-at-https://hooks.example.com/a' });
    expect(secrets).toContain('jwt-for-t1-at-https://hooks.example.com/a');
  });

  it('uses the automatic profile when the webhook names nothing, and only then', async () => {
    automatic = profile({ scheme: 'bearer', secret: 'of-the-operator' });
    const { headers } = await authenticator.prove(WEBHOOK, MESSAGE);
    expect(headers).toEqual({ authorization: 'Bearer of-the-operator' });
    const explicit = {
      ...WEBHOOK,
      authScheme: 'bearer',
      sealedCredentials: SECRETS.seal('mine'),
    } as const;
    expect((await authenticator.prove(explicit, MESSAGE)).headers).toEqual({
      authorization: 'Bearer mine',
    });
  });

  it('cannot prove by a profile that there is not', async () => {
    const webhook = { ...WEBHOOK, authScheme: 'profile', authProfile: 'gone' } as const;
    const proof = authenticator.prove(webhook, MESSAGE);
    await expect(proof).rejects.toBeInstanceOf(AuthImpossibleError);
    await expect(proof).rejects.toThrow('there is no auth profile gone for this address');
  });

  it.each([
    ['bearer', {}, { authorization: 'Bearer s3cret' }],
    ['basic', { username: 'hub' }, { authorization: `Basic ${btoa('hub:s3cret')}` }],
    ['api-key', {}, { 'x-api-key': 's3cret' }],
    ['api-key', { header: 'key' }, { key: 's3cret' }],
    ['oauth2', {}, { authorization: 'Bearer token-by-s3cret' }],
  ] as const)('proves by a %s profile with %j', async (scheme, parameters, headers) => {
    named = profile({ scheme, parameters, secret: 's3cret' });
    const webhook = { ...WEBHOOK, authScheme: 'profile', authProfile: 'receiver' } as const;
    const proof = await authenticator.prove(webhook, MESSAGE);
    expect(proof.headers).toEqual(headers);
    expect(proof.secrets).toContain('s3cret');
  });

  it('lets go of a token that was refused', async () => {
    automatic = profile({ scheme: 'oauth2', secret: 's' });
    const proof = await authenticator.prove(WEBHOOK, MESSAGE);
    expect(proof.refused?.()).toBe(true);
    expect(refused).toEqual(['token-by-s']);
  });

  it('signs by the key before until the overlap is over', async () => {
    const [before, after] = [-1, 1].map((ms) => new Date(MESSAGE.at.getTime() + ms));
    const sealedPrevious = SECRETS.seal(OLD);
    automatic = profile({ scheme: 'hmac', secret: NEW, sealedPrevious, previousUntil: after! });
    const during = (await authenticator.prove(WEBHOOK, MESSAGE)).headers['webhook-signature'];
    expect([verifies(NEW, during), verifies(OLD, during)]).toEqual([true, true]);
    automatic = { ...automatic, previousUntil: before! };
    const over = (await authenticator.prove(WEBHOOK, MESSAGE)).headers['webhook-signature'];
    expect([verifies(NEW, over), verifies(OLD, over)]).toEqual([true, false]);
  });

  it('shows the client certificate of a profile, and has it watched', async () => {
    const parameters = { certificate: 'CERT', ca: 'CA' };
    automatic = profile({ scheme: 'mtls', parameters, secret: 'KEY' });
    const { headers, tls } = await authenticator.prove(WEBHOOK, MESSAGE);
    expect(headers).toEqual({});
    expect(tls).toEqual({ clientCertificate: { certificate: 'CERT', key: 'KEY' }, ca: 'CA' });
    expect(watched).toEqual(['receiver']);
  });
});
