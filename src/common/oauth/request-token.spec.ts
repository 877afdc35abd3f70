import { describe, expect, it } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import { requestToken, secretProof, serverAt, type TokenRequest } from './request-token.js';

const ISSUER = 'https://login.example/realms/acme';
const TOKEN_URL = 'https://login.example/realms/acme/token';

/** An ID token as one of this issuer, which nobody verifies by its signature. */
function idToken(issuer: string, alg: string, audience = 'hub'): string {
  const claims = new UnsecuredJWT({})
    .setIssuer(issuer)
    .setSubject('alice')
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('5m');
  const [, payload] = claims.encode().split('.');
  const header = Buffer.from(JSON.stringify({ alg })).toString('base64url');
  return `${header}.${payload}.c2ln`;
}

function requested(body: unknown, changes: Partial<TokenRequest> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json' };
  return requestToken({
    server: serverAt(TOKEN_URL),
    clientId: 'hub',
    proof: secretProof(undefined, 'secret'),
    grantType: 'client_credentials',
    parameters: {},
    send: () => Promise.resolve(new Response(text, { headers })),
    timeoutMs: 1000,
    ...changes,
  });
}

const TOKEN = { access_token: 'a', token_type: 'Bearer', expires_in: 60 };
const GIVEN = { value: 'a', lifeMs: 60_000, refreshToken: null, idToken: null, scope: null };

describe('the answer of a token server', () => {
  it.each([
    ['of an issuer that is not the origin of its endpoint', idToken(ISSUER, 'RS256')],
    ['by another algorithm than RS256', idToken('https://login.example', 'ES256')],
    ['for another client', idToken('https://login.example', 'RS256', 'other')],
    ['that is encrypted', 'a.b.c.d.e'],
    ['that is none', 7],
  ])('counts beside an ID token %s, which is not read', async (_, token) => {
    expect(await requested({ ...TOKEN, id_token: token })).toEqual(GIVEN);
  });

  it('may write null for what is not there, or an empty refresh token', async () => {
    const absent = { id_token: null, refresh_token: null, scope: null, expires_in: null };
    expect(await requested({ ...TOKEN, ...absent })).toEqual({ ...GIVEN, lifeMs: 300_000 });
    expect(await requested({ ...TOKEN, refresh_token: '' })).toEqual(GIVEN);
  });

  it.each([
    ['no token', { ...TOKEN, access_token: null }],
    ['no type', { ...TOKEN, token_type: null }],
    ['a list', [TOKEN]],
    ['no JSON', '<html>'],
  ])('is none with %s', async (_, body) => {
    await expect(requested(body)).rejects.toThrow(
      'no token from https://login.example: its answer is no token answer',
    );
  });

  it('has to have an ID token of the server where that is read', async () => {
    const server = { ...serverAt(TOKEN_URL), issuer: ISSUER };
    const reading = { server, readsIdToken: true };
    const own = idToken(ISSUER, 'RS256');
    expect(await requested({ ...TOKEN, id_token: own }, reading)).toEqual({
      ...GIVEN,
      idToken: own,
    });
    const other = idToken('https://login.example', 'RS256');
    await expect(requested({ ...TOKEN, id_token: other }, reading)).rejects.toThrow(
      'its answer is no token answer',
    );
  });
});
