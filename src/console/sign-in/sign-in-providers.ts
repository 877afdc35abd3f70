import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { AuthorizationServer, ClientAuth } from 'oauth4webapi';
import { AccessTokens } from '../../auth/index.js';
import { Egress } from '../../common/egress/egress.js';
import { smallFetch } from '../../common/egress/small-fetch.js';
import { HubError } from '../../common/hub-error.js';
import { reasonOf } from '../../common/oauth/discover.js';
import { withNewestSecret } from '../../common/oauth/newest-secret.js';
import {
  MAX_TOKEN_ANSWER_BYTES,
  NO_PROOF,
  requestToken,
  secretProof,
  type TokenAnswer,
  TokenError,
  type TokenRequest,
} from '../../common/oauth/request-token.js';
import {
  authorizationAddress,
  readAuthorization,
  revokeToken,
} from '../../common/oauth/user-authorization.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import { AppConfig, PublicUrl } from '../../config/index.js';
import { readDeclaredSignIns, type SignIn } from './declared-sign-ins.js';
import { CONSOLE_PATH } from './return-place.js';
import type { Attempt } from './sign-in-attempts.js';

/** Where providers send browsers back to. */
export const SIGN_IN_CALLBACK_PATH = `${CONSOLE_PATH}/sign-in/callback`;
const TIMEOUT_MS = 10_000;
/** Whoever signs out waits for it. */
const REVOCATION_MS = 3000;
/** Characters of an ID token that is kept: it is sent in an address. */
const MAX_ID_TOKEN = 4096;

/** Nobody could be signed in. Its message is for who tries, without anything secret. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';

  constructor(
    message: string,
    /** What it is called in the audit log. */
    readonly fault: 'denied-sign-in' | 'unexpected-answer' | 'provider-away',
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The providers of `console.signIn`, with the hub as a client of theirs: what fails there is {@link SignInFailed}. */
@Injectable()
export class SignInProviders implements OnModuleInit {
  private entries: readonly SignIn[] = [];
  private readonly send: TokenRequest['send'];

  constructor(
    private readonly config: AppConfig,
    private readonly tokens: AccessTokens,
    private readonly publicUrl: PublicUrl,
    @Inject(SecretReferences)
    private readonly references: Pick<SecretReferences, 'resolve' | 'refresh'>,
    @Inject(Egress) egress: Pick<Egress, 'fetch'>,
  ) {
    this.send = smallFetch(egress, MAX_TOKEN_ANSWER_BYTES);
  }

  async onModuleInit(): Promise<void> {
    const { console, auth } = this.config;
    this.entries = await readDeclaredSignIns(console.signIn, auth.issuers);
  }

  get all(): readonly SignIn[] {
    return this.entries;
  }

  of(issuerId: string): SignIn | undefined {
    return this.entries.find((each) => each.issuerId === issuerId);
  }

  /** Where a browser is sent to. */
  async ask(entry: SignIn, attempt: Attempt): Promise<URL> {
    const { authorization_endpoint: endpoint } = await this.metadata(entry);
    if (endpoint === undefined || !/^https?:/i.test(endpoint)) {
      throw new SignInFailed(
        `The metadata of ${entry.name} name no authorization endpoint.`,
        'provider-away',
      );
    }
    const { clientId, scopes, audience, resource } = entry;
    const { state, verifier, nonce } = attempt;
    const request = {
      ...{ clientId, state, verifier, scopes, audience, resource },
      redirectUri: this.redirectUri,
    };
    const url = await authorizationAddress(endpoint, request);
    if (scopes.includes('openid')) url.searchParams.set('nonce', nonce);
    return url;
  }

  /** The tokens for what a provider has sent a browser back with (RFC 6749 §4.1.2, RFC 9207). */
  async complete(entry: SignIn, attempt: Attempt, answer: URLSearchParams): Promise<TokenAnswer> {
    const server = await this.metadata(entry);
    const { state, verifier, nonce } = attempt;
    const read = readAuthorization(server, entry.clientId, answer, state);
    if ('fault' in read) {
      throw read.isDenied
        ? new SignInFailed('The sign-in was denied at the provider.', 'denied-sign-in')
        : new SignInFailed(read.fault, 'unexpected-answer');
    }
    const tokens = await this.request(entry, 'authorization_code', {
      code: read.code,
      redirect_uri: this.redirectUri,
      code_verifier: verifier,
    });
    const isOurs = tokens.idToken === null || decodeJwt(tokens.idToken)['nonce'] === nonce;
    if (isOurs) return tokens;
    throw new SignInFailed('The ID token is not of this sign-in.', 'unexpected-answer');
  }

  /** New tokens (RFC 6749 §6). Rejects with `TokenError`, too. */
  refresh(entry: SignIn, refreshToken: string): Promise<TokenAnswer> {
    return this.asClient(entry, 'refresh_token', { refresh_token: refreshToken });
  }

  /** Ends a token at its provider (RFC 7009), where that can. Rejects with `TokenError`, too, when it did not. */
  async revoke(entry: SignIn, token: string): Promise<void> {
    const server = await this.metadata(entry);
    const request = {
      ...{ server: tokenServer(server, entry), clientId: entry.clientId },
      ...{ send: this.send, timeoutMs: REVOCATION_MS },
    };
    await this.withProof(entry, (proof) => revokeToken({ ...request, proof }, token));
  }

  /** Where a browser ends its sign-in at the provider (OpenID Connect RP-Initiated Logout §2); null where that has no such place. */
  async signOutAddress(entry: SignIn, idToken: string | null): Promise<string | null> {
    const { end_session_endpoint: endpoint } = await this.metadata(entry);
    if (endpoint === undefined || !/^https?:/i.test(endpoint)) return null;
    const url = new URL(endpoint);
    url.searchParams.set('client_id', entry.clientId);
    url.searchParams.set('post_logout_redirect_uri', `${this.publicUrl.base}${CONSOLE_PATH}/`);
    if (idToken !== null) url.searchParams.set('id_token_hint', idToken);
    return url.href;
  }

  private get redirectUri(): string {
    return this.publicUrl.base + SIGN_IN_CALLBACK_PATH;
  }

  private async metadata(entry: SignIn): Promise<AuthorizationServer> {
    try {
      return await this.tokens.metadataOf(entry.issuerId);
    } catch (error) {
      const text = `${entry.name} cannot be asked: ${reasonOf(error)}.`;
      throw new SignInFailed(text, 'provider-away', error);
    }
  }

  private async request(
    entry: SignIn,
    grantType: string,
    parameters: TokenRequest['parameters'],
  ): Promise<TokenAnswer> {
    try {
      return await this.asClient(entry, grantType, parameters);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      throw new SignInFailed(`${entry.name} gave ${error.message}.`, 'unexpected-answer', error);
    }
  }

  private async asClient(
    entry: SignIn,
    grantType: string,
    parameters: TokenRequest['parameters'],
  ): Promise<TokenAnswer> {
    const server = tokenServer(await this.metadata(entry), entry);
    const { clientId, resource } = entry;
    const { send } = this;
    const tokens = await this.withProof(entry, (proof) =>
      requestToken({
        ...{ server, clientId, proof, grantType, send, timeoutMs: TIMEOUT_MS },
        parameters: { resource, ...parameters },
        readsIdToken: true,
      }),
    );
    return (tokens.idToken?.length ?? 0) > MAX_ID_TOKEN ? { ...tokens, idToken: null } : tokens;
  }

  private async withProof<T>(
    { clientSecret, clientAuthentication, name }: SignIn,
    ask: (proof: ClientAuth) => Promise<T>,
  ): Promise<T> {
    if (clientSecret === null) return ask(NO_PROOF);
    const current = (): Promise<string> =>
      this.references.resolve(clientSecret).catch((cause: unknown) => {
        const text = `The secret of the hub for ${name} cannot be had.`;
        throw new SignInFailed(text, 'provider-away', cause);
      });
    const newest = async (): Promise<string> => {
      await this.references.refresh(clientSecret);
      return current();
    };
    return withNewestSecret(await current(), newest, (secret) =>
      ask(secretProof(clientAuthentication, secret)),
    );
  }
}

function tokenServer(server: AuthorizationServer, { name }: SignIn): TokenRequest['server'] {
  const { token_endpoint: endpoint } = server;
  if (endpoint !== undefined) return { ...server, token_endpoint: endpoint };
  throw new SignInFailed(`The metadata of ${name} name no token endpoint.`, 'provider-away');
}

/** A failure to ask a provider, for callers. */
export function unavailable(error: SignInFailed | TokenError): HubError {
  return new HubError('UNAVAILABLE', `The session cannot be renewed now: ${error.message}`, {
    cause: error,
    metadata: { retryAfterSeconds: '2' },
  });
}
