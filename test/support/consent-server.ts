import type { IncomingMessage, RequestListener } from 'node:http';
import type Provider from 'oidc-provider';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

/** The client of the hub at it. */
export const CONSENT_CLIENT = { clientId: 'a2a-hub', clientSecret: 'consent-secret-0123456789' };

/** A real OpenID provider (oidc-provider) at which users sign in and consent to what a hub asks for. */
export class ConsentServer {
  /** While true it answers 503 to everything that is no page. */
  isDown = false;
  /** Set, this is the secret of the hub's client; others are refused. */
  secret: string | undefined;
  /** Set, a request for a token is answered when this resolves. */
  hold: (() => Promise<void>) | undefined;
  /** The grant types that its token endpoint was asked for, in order. */
  readonly grants: string[] = [];

  private readonly grantIds = new Set<string>();

  private constructor(
    private readonly listener: HttpListener,
    private readonly provider: Provider,
  ) {}

  /** For a hub at this address. */
  static async start(hub: string): Promise<ConsentServer> {
    let answer: RequestListener = (_, response) => void response.writeHead(503).end();
    const listener = await listenOnLoopback((request, response) => answer(request, response));
    // Loading it already tells that it is made for tests.
    const { default: OidcProvider } = await import('oidc-provider');
    const provider = new OidcProvider(listener.url, {
      features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
      scopes: ['openid', 'offline_access', 'payroll.read'],
      ttl: { AccessToken: () => 300 },
      rotateRefreshToken: () => true,
      pkce: { required: () => true },
      clients: [
        {
          client_id: CONSENT_CLIENT.clientId,
          client_secret: CONSENT_CLIENT.clientSecret,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          redirect_uris: [`${hub}/oauth/callback`],
        },
      ],
    });
    const server = new ConsentServer(listener, provider);
    provider.on('grant.success', ({ oidc }) => {
      server.grants.push(oidc.params['grant_type'] ?? '');
      if (oidc.grant) server.grantIds.add(oidc.grant.jti);
    });
    const callback = provider.callback();
    answer = (request, response) => {
      if (server.isDown) response.writeHead(503).end();
      else if (!server.takesSecret(request)) {
        response.writeHead(401, {
          'content-type': 'application/json',
          'www-authenticate': 'Basic realm="clients"',
        });
        response.end('{"error": "invalid_client"}');
      } else if (request.url === '/token' && server.hold !== undefined)
        void server.hold().then(() => callback(request, response));
      else void callback(request, response);
    };
    return server;
  }

  get url(): string {
    return this.listener.url;
  }

  /** It is asked with the one that it was started with then. */
  private takesSecret({ headers }: IncomingMessage): boolean {
    const [, basic] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (this.secret === undefined || basic === undefined) return true;
    const { clientId, clientSecret } = CONSENT_CLIENT;
    if (decodeURIComponent(atob(basic)) !== `${clientId}:${this.secret}`) return false;
    headers.authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    return true;
  }

  /** Whose access token this is, as long as it is valid. */
  async accountOf(authorization: string | undefined): Promise<string | undefined> {
    const value = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
    const token = await this.provider.AccessToken.find(value);
    return token?.isValid === true ? token.accountId : undefined;
  }

  /** Takes back all that users have consented to. */
  async revokeAll(): Promise<void> {
    for (const id of this.grantIds) {
      await this.provider.RefreshToken.revokeByGrantId(id);
      await this.provider.AccessToken.revokeByGrantId(id);
    }
  }

  close(): Promise<void> {
    return this.listener.close();
  }
}
