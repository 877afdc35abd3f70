import * as oauth from 'oauth4webapi';
import { isRecord } from '../is-record.js';
import type { GrantedToken } from './token-cache.js';

/** For a token whose server says nothing of its end. */
const DEFAULT_LIFE_MS = 5 * 60_000;
const MAX_LIFE_MS = 24 * 3_600_000;
const HEADER_SAFE = /^[\x21-\x7e]{1,8192}$/;
/** Characters. */
const MAX_REFRESH_TOKEN = 8192;
const ERROR_CODE = /^[\w.-]{1,64}$/;

/** Bytes of a token server's answer. */
export const MAX_TOKEN_ANSWER_BYTES = 64 * 1024;

/** How the hub proves itself at a token server with its secret (RFC 6749 §2.3.1). */
export const SECRET_AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post'] as const;
export type SecretAuthentication = (typeof SECRET_AUTHENTICATIONS)[number];

/** No token could be got. Its message names the server, and never holds a secret or what the server wrote. */
export class TokenError extends Error {
  override readonly name = 'TokenError';

  constructor(
    message: string,
    /** The error code that the server answered (RFC 6749 §5.2). */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** One request for a token. */
export interface TokenRequest {
  readonly server: oauth.AuthorizationServer & { readonly token_endpoint: string };
  readonly clientId: string;
  readonly proof: oauth.ClientAuth;
  readonly grantType: string;
  /** What is asked for beside the grant type; those that are undefined are left out. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** Goes through the egress guard, and reads no more than {@link MAX_TOKEN_ANSWER_BYTES}. */
  readonly send: (url: string, init: RequestInit) => Promise<Response>;
  /** For the whole of it. */
  readonly timeoutMs: number;
  /** An ID token is read as well: one whose claims do not fit the server and the client makes the answer none. */
  readonly readsIdToken?: boolean;
}

/** A server that is known by its token endpoint alone. */
export function serverAt(tokenUrl: string): TokenRequest['server'] {
  return { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
}

export function secretProof(
  authentication: SecretAuthentication | undefined,
  clientSecret: string,
): oauth.ClientAuth {
  return authentication === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

/** Of a public client (RFC 6749 §2.1). */
export const NO_PROOF: oauth.ClientAuth = oauth.None();

/** All that a server gave (RFC 6749 §5.1). */
export interface TokenAnswer extends GrantedToken {
  readonly refreshToken: string | null;
  /** Of OpenID Connect, where it was to be read; its claims fit the server and the client. */
  readonly idToken: string | null;
  /** What is granted, where that is not what was asked for. */
  readonly scope: string | null;
}

/** Asks a token server, for any grant type (RFC 6749 §4, §6). Rejects with {@link TokenError}. */
export async function requestToken(request: TokenRequest): Promise<TokenAnswer> {
  try {
    return await requested(request);
  } catch (cause) {
    throw tokenError(request.server.token_endpoint, cause);
  }
}

/** The failure of a token server in one sentence. The cause is left out: it can hold a token. */
export function tokenError(url: string, cause: unknown): TokenError {
  return new TokenError(
    `no token from ${new URL(url).origin}: ${reasonOf(cause)}`,
    errorCodeOf(cause),
  );
}

/** The error code that a server has answered (RFC 6749 §5.2). */
export function errorCodeOf(cause: unknown): string | undefined {
  if (cause instanceof TokenError) return cause.code;
  if (cause instanceof oauth.ResponseBodyError) return cause.error;
  // A 401 says that the client's proof was refused, with a challenge to another one or without.
  return statusOf(cause) === 401 ? 'invalid_client' : undefined;
}

async function requested(request: TokenRequest): Promise<TokenAnswer> {
  const { server, clientId, proof, grantType, parameters, send, timeoutMs } = request;
  const { readsIdToken = false } = request;
  const client = { client_id: clientId };
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) given.set(name, value);
  }
  const answer = await oauth.genericTokenEndpointRequest(server, client, proof, grantType, given, {
    [oauth.customFetch]: send,
    // The egress guard decides where plain http is allowed.
    [oauth.allowInsecureRequests]: true,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const read = await readable(answer, readsIdToken);
  const token = await oauth.processGenericTokenEndpointResponse(server, client, read);
  if (!HEADER_SAFE.test(token.access_token)) throw new Error('a token no header can carry');
  if (token.token_type !== 'bearer') throw new Error('a token of another type than bearer');
  const lifeMs = token.expires_in === undefined ? DEFAULT_LIFE_MS : token.expires_in * 1000;
  const { refresh_token: refreshToken = null, scope = null, id_token: idToken = null } = token;
  if (refreshToken !== null && refreshToken.length > MAX_REFRESH_TOKEN)
    throw new Error('a refresh token that is too long');
  return {
    value: token.access_token,
    lifeMs: Math.min(Math.max(lifeMs, 0), MAX_LIFE_MS),
    refreshToken,
    idToken,
    scope,
  };
}

/**
 * The answer with what counts of it. An ID token is of nobody's interest but who signs in, and has an issuer that a server known by
 * its endpoints alone is not known by; a member that is null, or an empty token beside the access token, is written for one that is not there.
 */
async function readable(answer: Response, readsIdToken: boolean): Promise<Response> {
  const { status, headers } = answer;
  if (status !== 200) return answer;
  const text = await answer.text();
  const body = parsed(text);
  if (!isRecord(body)) return new Response(text, { status, headers });
  const members = Object.entries(body).filter(
    ([name, value]) =>
      value !== null &&
      !(name === 'refresh_token' && value === '') &&
      !(name === 'id_token' && (value === '' || !readsIdToken)),
  );
  return new Response(JSON.stringify(Object.fromEntries(members)), { status, headers });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof oauth.ResponseBodyError) {
    const code = ERROR_CODE.test(cause.error) ? cause.error : 'an error';
    return `it answered ${code} (HTTP ${cause.status})`;
  }
  if (cause instanceof oauth.WWWAuthenticateChallengeError)
    return `it answered HTTP ${cause.status}`;
  if (cause instanceof oauth.OperationProcessingError) {
    const status = statusOf(cause);
    return status === undefined
      ? 'its answer is no token answer'
      : `it answered HTTP ${status}, no token answer`;
  }
  const { name, code, message } = cause as { name?: unknown; code?: unknown; message?: unknown };
  if (name === 'TimeoutError') return 'it did not answer in time';
  return typeof code === 'string' && code !== '' ? code : String(message);
}

/** The status of an answer that is no token answer. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return error.status;
  if (!(error instanceof oauth.OperationProcessingError)) return undefined;
  const status = (error.cause as { status?: unknown } | undefined)?.status;
  return typeof status === 'number' ? status : undefined;
}
