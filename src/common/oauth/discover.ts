import { errors } from 'jose';
import * as oauth from 'oauth4webapi';

/**
 * The metadata of an issuer: OpenID Connect Discovery, else RFC 8414. Rejects when there are none that name this issuer, and with
 * what `send` rejects with.
 */
export async function discover(
  issuer: string,
  send: (url: string, init: RequestInit) => Promise<Response>,
  timeoutMs: number,
): Promise<oauth.AuthorizationServer> {
  const expected = new URL(issuer);
  const at = async (algorithm: 'oidc' | 'oauth2'): Promise<oauth.AuthorizationServer> => {
    const answer = await oauth.discoveryRequest(expected, {
      algorithm,
      [oauth.customFetch]: send,
      // The egress guard decides where plain http is allowed.
      [oauth.allowInsecureRequests]: true,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return oauth.processDiscoveryResponse(expected, answer);
  };
  try {
    return await at('oidc');
  } catch (error) {
    // Only an answer says that the metadata may be at the other place.
    if (!(error instanceof oauth.OperationProcessingError)) throw error;
    return at('oauth2');
  }
}

/** The metadata in an answer from anywhere else. Rejects when they are not those of this issuer. */
export function metadataIn(answer: Response, issuer: string): Promise<oauth.AuthorizationServer> {
  return oauth.processDiscoveryResponse(new URL(issuer), answer);
}

/** Why an issuer cannot be asked, in a few words without anything that it has answered. */
export function reasonOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError) return `it answered HTTP ${error.status}`;
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return `it refused the hub's client (HTTP ${error.status})`;
  const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
  if (name === 'TimeoutError') return 'it did not answer in time';
  if (error instanceof oauth.OperationProcessingError || error instanceof errors.JOSEError)
    return 'its answer is not what it should be';
  if (error instanceof SyntaxError) return 'its answer is not JSON';
  return typeof code === 'string' && code !== '' ? code : String(message);
}
