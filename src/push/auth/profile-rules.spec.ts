import { beforeAll, describe, expect, it } from '@jest/globals';
import * as x509 from '@peculiar/x509';
import { HubError } from '../../common/hub-error.js';
import { PROFILE_SCHEME_NAMES, type ProfileSchemeName } from './schemes/schemes.js';
import type { GivenParameters } from './schemes/scheme.js';
import { certificateFacts } from '../../common/client-certificate.js';
import { checkParameters, checkSecret, checkUrls } from './profile-rules.js';

const NOW = new Date();
const DAY = 86_400_000;
const OAUTH = { tokenUrl: 'https://login.example.com/t', clientId: 'hub' };

function fieldsOf(run: () => void): string[] {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(HubError);
    return (error as HubError).violations.map(({ field }) => field);
  }
  return [];
}

const parameters = (scheme: ProfileSchemeName, given: GivenParameters) =>
  fieldsOf(() => checkParameters(scheme, given));
const secret = (
  scheme: ProfileSchemeName,
  value: string | undefined,
  given: GivenParameters = {},
) => fieldsOf(() => checkSecret(scheme, value, given, NOW));

describe('checkParameters', () => {
  it.each([
    ['bearer', {}],
    ['basic', { username: 'hub' }],
    ['api-key', {}],
    ['api-key', { header: 'X-Key' }],
    ['jwt', {}],
    ['oauth2', OAUTH],
    ['oauth2', { ...OAUTH, scope: 'a b', audience: 'x', resource: 'urn:x' }],
  ] as const)('takes %s with %j', (scheme, given) => {
    expect(parameters(scheme, given)).toEqual([]);
  });

  it.each([
    ['basic', {}, ['username']],
    ['basic', { username: 'a:b' }, ['username']],
    ['bearer', { username: 'hub', tokenUrl: 'x' }, ['username', 'tokenUrl']],
    ['api-key', { header: 'Host' }, ['header']],
    ['api-key', { header: 'webhook-signature' }, ['header']],
    ['api-key', { header: 'a b' }, ['header']],
    ['api-key', { header: '' }, ['header']],
    ['oauth2', {}, ['tokenUrl', 'clientId']],
    ['oauth2', { ...OAUTH, scope: 'a\nb' }, ['scope']],
    ['oauth2', { ...OAUTH, resource: 'no url' }, ['resource']],
    ['oauth2', { ...OAUTH, resource: 'https://x.example/#f' }, ['resource']],
    ['mtls', {}, ['certificate']],
    ['mtls', { certificate: 'no PEM' }, ['certificate']],
  ] as const)('refuses %s with %j', (scheme, given, fields) => {
    expect(parameters(scheme, given)).toEqual(fields);
  });
});

describe('checkSecret', () => {
  it('asks for one where the scheme has one that the hub cannot make', () => {
    const needing = PROFILE_SCHEME_NAMES.filter((scheme) => secret(scheme, undefined).length > 0);
    expect(needing).toEqual(['bearer', 'basic', 'api-key', 'oauth2', 'mtls']);
    expect(secret('jwt', 'x')).toEqual(['secret']);
  });

  it.each([
    ['bearer', 'a b'],
    ['bearer', 'a\r\nX: 1'],
    ['bearer', 'schlüssel'],
    ['basic', 'a\nb'],
    ['api-key', ' padded'],
    ['api-key', 'a\u0000'],
    ['hmac', 'whsec_AAAA'],
    ['hmac', `whsec_${btoa('a'.repeat(24))} whsec_${btoa('b'.repeat(24))}`],
    ['ed25519', `whsec_${btoa('a'.repeat(24))}`],
    ['oauth2', 'a\nb'],
  ] as const)('refuses %s with %j, without showing it', (scheme, value) => {
    expect(secret(scheme, value)).toEqual(['secret']);
    expect(() => checkSecret(scheme, value, {}, NOW)).not.toThrow(value);
  });
});

describe('checkUrls', () => {
  it('names each pattern that is none', () => {
    expect(fieldsOf(() => checkUrls('bearer', ['ok.example', '*', 'ftp://x']))).toEqual([
      'urls[1]',
      'urls[2]',
    ]);
  });

  it('wants https for client certificates', () => {
    expect(fieldsOf(() => checkUrls('mtls', ['http://10.1.2.3']))).toEqual(['urls[0]']);
    expect(fieldsOf(() => checkUrls('bearer', ['http://10.1.2.3']))).toEqual([]);
  });
});

describe('client certificates', () => {
  let valid: Pair;
  let other: Pair;

  beforeAll(async () => {
    [valid, other] = [await pair(365), await pair(365)];
  });

  it('takes a certificate with its key', () => {
    expect(parameters('mtls', { certificate: valid.certificate, ca: other.certificate })).toEqual(
      [],
    );
    expect(secret('mtls', valid.key, { certificate: valid.certificate })).toEqual([]);
  });

  it('refuses the key of another, and what is no key', () => {
    const { certificate } = valid;
    for (const key of [other.key, 'no key', certificate]) {
      expect(secret('mtls', key, { certificate })).toEqual(['secret']);
    }
    const encrypted =
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----';
    expect(() => checkSecret('mtls', encrypted, { certificate }, NOW)).toThrow(
      'must not be encrypted',
    );
  });

  it('refuses one that has expired', async () => {
    const { certificate, key } = await pair(-1);
    expect(secret('mtls', key, { certificate })).toEqual(['certificate']);
  });

  it.each([
    [365, 'valid'],
    [29, 'expiring'],
    [-1, 'expired'],
  ] as const)('says of one that ends in %i days that it is %s', async (days, state) => {
    const { certificate } = await pair(days);
    expect(certificateFacts(certificate, NOW)).toMatchObject({ subject: 'CN=hub', state });
  });
});

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

async function pair(days: number): Promise<Pair> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=hub',
    notBefore: new Date(NOW.getTime() - 10 * DAY),
    notAfter: new Date(NOW.getTime() + days * DAY),
    signingAlgorithm: algorithm,
    keys,
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = key.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    certificate: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
