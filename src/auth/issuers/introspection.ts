import * as oauth from 'oauth4webapi';
import type { Egress } from '../../common/egress/egress.js';
import { smallFetch } from '../../common/egress/small-fetch.js';
import { secretProof } from '../../common/oauth/request-token.js';
import { TokenRefused } from '../domain/caller-claims.js';
import type { Introspection } from './issuer.js';

const MAX_ANSWER_BYTES = 64 * 1024;
const TIMEOUT_MS = 5000;

/**
 * What an issuer says of a token at this moment (RFC 7662): its claims. Throws {@link TokenRefused} when it is not active;
 * rejects with another error when the issuer cannot be asked.
 */
export async function introspect(
  issuer: string,
  url: string,
  { clientId, clientSecret, clientAuthentication }: Introspection,
  token: string,
  egress: Pick<Egress, 'fetch'>,
): Promise<oauth.IntrospectionResponse> {
  const server = { issuer, introspection_endpoint: url };
  const client = { client_id: clientId };
  const proof = secretProof(clientAuthentication, clientSecret);
  const answer = await oauth.introspectionRequest(server, client, proof, token, {
    additionalParameters: { token_type_hint: 'access_token' },
    [oauth.customFetch]: smallFetch(egress, MAX_ANSWER_BYTES),
    // The egress guard decides where plain http is allowed.
    [oauth.allowInsecureRequests]: true,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const said = await oauth.processIntrospectionResponse(server, client, answer);
  if (!said.active) {
    throw new TokenRefused(
      'The access token is not active: it has expired or was revoked.',
      'inactive-token',
    );
  }
  return said;
}
