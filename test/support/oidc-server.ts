import type { RequestListener } from 'node:http';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import type { GrantContext } from 'oidc-provider';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';
const SECONDS = 300;

/**
 * A real OpenID provider (oidc-provider) whose clients get JWT access tokens for whatever resource they name, and exchange
 * tokens of its own, or of `hubs`, for others (RFC 8693).
 */
export class OidcServer {
  /** The parameters of the exchanges that were asked for. */
  readonly exchanges: Readonly<Record<string, string | undefined>>[] = [];
  /** Hubs whose word it takes: their addresses. */
  readonly hubs = new Set<string>();
  /** Whether it takes the tokens that are to be exchanged. */
  takes = true;
  /** Tokens of actors that it does not take any more. */
  readonly refusedActors = new Set<string>();

  private constructor(private readonly listener: HttpListener) {}

  static async start(): Promise<OidcServer> {
    let answer: RequestListener = (_, response) => void response.writeHead(503).end();
    const listener = await listenOnLoopback((request, response) => answer(request, response));
    const { default: Provider, errors } = await import('oidc-provider');
    const client = (client_id: string): object => ({
      client_id,
      client_secret: `secret-of-${client_id}`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: 'hub.call hub.operate',
    });
    const provider = new Provider(listener.url, {
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        introspection: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => undefined,
          getResourceServerInfo: (_context: unknown, resource: string) => ({
            scope: 'hub.call hub.operate',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 300,
          }),
        },
      },
      scopes: ['hub.call', 'hub.operate'],
      extraTokenClaims: (_context: unknown, token: { gty?: string; clientId: string }) =>
        token.gty === EXCHANGE ? { act: { sub: token.clientId } } : undefined,
      clients: [
        client('billing'),
        client('operations'),
        { ...client('a2a-hub'), grant_types: ['client_credentials', EXCHANGE] },
      ],
    });
    const server = new OidcServer(listener);
    const exchange = async (context: GrantContext): Promise<void> => {
      const { client, params } = context.oidc;
      server.exchanges.push(params);
      const { subject_token: subject = '', audience } = params;
      if (audience === undefined) throw new errors.InvalidTarget('no audience');
      if (!server.takes) throw new errors.InvalidGrant('the subject token has expired');
      if (server.refusedActors.has(params['actor_token'] ?? '')) {
        throw new errors.InvalidRequest('the actor token is not valid');
      }
      const accountId = await server.subjectOf(subject, params['subject_token_type']).catch(() => {
        throw new errors.InvalidRequest('the subject token is not valid');
      });
      const scope = params['scope'];
      const token = new provider.AccessToken({ accountId, client, gty: EXCHANGE, scope });
      const resource = { audience, accessTokenFormat: 'jwt', accessTokenTTL: SECONDS, scope };
      token.resourceServer = new provider.ResourceServer(audience, resource);
      context.body = {
        access_token: await token.save(),
        issued_token_type: `${TOKEN_TYPE}access_token`,
        token_type: 'Bearer',
        expires_in: SECONDS,
      };
    };
    provider.registerGrantType(EXCHANGE, exchange, [
      'subject_token',
      'subject_token_type',
      'actor_token',
      'actor_token_type',
      'requested_token_type',
      'audience',
      'resource',
      'scope',
    ]);
    answer = provider.callback();
    return server;
  }

  get url(): string {
    return this.listener.url;
  }

  /** An access token for a resource, got at the token endpoint that the provider's metadata name. */
  async token(client: string, resource: string, scope = 'hub.call'): Promise<string> {
    const metadata = await fetch(`${this.url}/.well-known/openid-configuration`);
    const { token_endpoint: endpoint } = (await metadata.json()) as { token_endpoint: string };
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${client}:secret-of-${client}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
    });
    const body = (await answer.json()) as { access_token?: string };
    if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** Who a token of it names, by its own keys. */
  async verified(token: string, audience: string): Promise<Record<string, unknown>> {
    const keys = createRemoteJWKSet(new URL(`${this.url}/jwks`));
    return (await jwtVerify(token, keys, { issuer: this.url, audience })).payload;
  }

  /** Whom a subject token names; rejects when it is not valid. */
  private async subjectOf(token: string, type: string | undefined): Promise<string> {
    const { iss = '', sub_id } = decodeJwt<{ sub_id?: { sub: string } }>(token);
    if (type === `${TOKEN_TYPE}jwt` && this.hubs.has(iss)) {
      const keys = createRemoteJWKSet(new URL(`${iss}/.well-known/jwks.json`));
      const { payload } = await jwtVerify(token, keys, { issuer: iss, audience: this.url });
      return sub_id?.sub ?? payload.sub!;
    }
    const keys = createRemoteJWKSet(new URL(`${this.url}/jwks`));
    return (await jwtVerify(token, keys, { issuer: this.url })).payload.sub!;
  }

  close(): Promise<void> {
    return this.listener.close();
  }
}
