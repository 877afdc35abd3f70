import * as oauth from 'oauth4webapi';

/**
 * The metadata of an issuer: OpenID Connect Discovery, else RFC 8414. Rejects when there are none that name this issuer, and with
 * what `fetch` rejects with.
 */
export async function discover(
  issuer: string,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  timeoutMs: number,
): Promise<oauth.AuthorizationServer> {
  const expected = new URL(issuer);
  const at = async (algorithm: 'oidc' | 'oauth2'): Promise<oauth.AuthorizationServer> => {
    const answer = await oauth.discoveryRequest(expected, {
      algorithm,
      [oauth.customFetch]: fetch,
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
