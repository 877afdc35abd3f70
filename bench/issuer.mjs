// An identity provider of the bench: metadata, one key, and access tokens for whom one likes.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const ALGORITHM = 'RS256';
const KEY_ID = 'bench';

/** Starts it on a free port of this machine. */
export async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
  const key = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: ALGORITHM, use: 'sig' };
  const server = createServer((request, response) => {
    const answers = {
      '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/jwks` },
      '/jwks': { keys: [key] },
    };
    const answer = answers[request.url];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    /** An access token (RFC 9068) for an hour. */
    token: (audience, claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID, typ: 'at+jwt' })
        .setIssuer(url)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
