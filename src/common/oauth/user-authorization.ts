import * as oauth from 'oauth4webapi';
import { type TokenRequest, tokenError } from './request-token.js';

const ERROR_CODE = /^[\w.-]{1,64}$/;

/** What a user is asked at its provider (RFC 6749 §4.1.1). */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  /** RFC 7636 §4.1. */
  readonly verifier: string;
  readonly scopes: readonly string[];
  readonly audience: string | undefined;
  /** RFC 8707. */
  readonly resource: string | undefined;
}

/** Where a browser is sent to for it. */
export async function authorizationAddress(
  endpoint: string,
  request: AuthorizationRequest,
): Promise<URL> {
  const { clientId, redirectUri, state, verifier, scopes, audience, resource } = request;
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    audience,
    resource,
    // OpenID Connect Core §11: else there is no refresh token.
    prompt: scopes.includes('offline_access') ? 'consent' : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** What a provider has answered: a code, or why there is none, without what others can have written. */
export type AuthorizationAnswer =
  | { readonly code: string }
  | { readonly fault: string; readonly isDenied: boolean };

/** Reads what a provider has sent a browser back with (RFC 6749 §4.1.2, RFC 9207). */
export function readAuthorization(
  server: oauth.AuthorizationServer,
  clientId: string,
  answer: URLSearchParams,
  state: string,
): AuthorizationAnswer {
  try {
    const code = oauth
      .validateAuthResponse(server, { client_id: clientId }, answer, state)
      .get('code');
    if (code !== null && code !== '') return { code };
    return { fault: 'The answer of the provider holds no code.', isDenied: false };
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const isDenied = error.error === 'access_denied';
      if (isDenied) return { fault: 'The consent was denied.', isDenied };
      const name = ERROR_CODE.test(error.error) ? error.error : 'an error';
      return { fault: `The provider answered ${name}.`, isDenied };
    }
    if (!(error instanceof oauth.OperationProcessingError)) throw error;
    return { fault: 'The answer is not one of the provider that was asked.', isDenied: false };
  }
}

/** Ends a token at a server that can (RFC 7009). Rejects with `TokenError` when it did not. */
export async function revokeToken(
  {
    server,
    clientId,
    proof,
    send,
    timeoutMs,
  }: Pick<TokenRequest, 'server' | 'clientId' | 'proof' | 'send' | 'timeoutMs'>,
  token: string,
): Promise<void> {
  const { revocation_endpoint: endpoint } = server;
  if (endpoint === undefined) return;
  try {
    const answer = await oauth.revocationRequest(server, { client_id: clientId }, proof, token, {
      [oauth.customFetch]: send,
      // The egress guard decides where plain http is allowed.
      [oauth.allowInsecureRequests]: true,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await oauth.processRevocationResponse(answer);
  } catch (cause) {
    throw tokenError(endpoint, cause);
  }
}
