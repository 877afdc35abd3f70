import type { RequestListener } from 'node:http';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

export const CONSOLE_CLIENT = { clientId: 'console', clientSecret: 'secret-of-the-console-0123' };

/** A real OpenID provider (oidc-provider) at which people sign in to the consoles of hubs on loopback. */
export class ConsoleProvider {
  /** While true its token endpoint answers 503. */
  isDown = false;
  /** Set, its token endpoint answers when this resolves. */
  hold: (() => Promise<void>) | undefined;
  /** The grant types that its token endpoint was asked for, in order. */
  readonly grants: string[] = [];
  /** What its revocation endpoint was asked. */
  revocations = 0;

  private readonly grantIds = new Set<string>();
  private revoke: (id: string) => Promise<void> = () => Promise.resolve();

  private constructor(private readonly listener: HttpListener) {}

  /** Access tokens live `tokenSeconds`; without `logout` it has no place where a browser ends its sign-in. */
  static async start({ tokenSeconds = 300, logout = true } = {}): Promise<ConsoleProvider> {
    let answer: RequestListener = (_, response) => void response.writeHead(503).end();
    const listener = await listenOnLoopback((request, response) => answer(request, response));
    const { default: OidcProvider } = await import('oidc-provider');
    const client = (client_id: string, secret?: string): object => ({
      client_id,
      ...(secret === undefined
        ? { token_endpoint_auth_method: 'none' }
        : { client_secret: secret }),
      // A native application may have any port of loopback.
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['http://127.0.0.1/console/sign-in/callback'],
      ...(logout && { post_logout_redirect_uris: ['http://127.0.0.1/console/'] }),
    });
    const provider = new OidcProvider(listener.url, {
      features: {
        devInteractions: { enabled: true },
        revocation: { enabled: true },
        rpInitiatedLogout: { enabled: logout },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => undefined,
          getResourceServerInfo: (_context: unknown, resource: string) => ({
            scope: 'hub.call hub.operate',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: tokenSeconds,
          }),
        },
      },
      scopes: ['openid', 'offline_access', 'hub.call', 'hub.operate'],
      rotateRefreshToken: () => true,
      pkce: { required: () => true },
      clients: [
        client(CONSOLE_CLIENT.clientId, CONSOLE_CLIENT.clientSecret),
        client('public-console'),
      ],
    });
    const server = new ConsoleProvider(listener);
    provider.on('grant.success', ({ oidc }) => {
      server.grants.push(oidc.params['grant_type'] ?? '');
      if (oidc.grant) server.grantIds.add(oidc.grant.jti);
    });
    server.revoke = (id) => provider.RefreshToken.revokeByGrantId(id);
    const callback = provider.callback();
    answer = (request, response) => {
      if (request.url === '/token/revocation') server.revocations += 1;
      if (request.url === '/token' && server.isDown) response.writeHead(503).end();
      else if (request.url === '/token' && server.hold !== undefined)
        void server.hold().then(() => callback(request, response));
      else void callback(request, response);
    };
    return server;
  }

  get url(): string {
    return this.listener.url;
  }

  /** Takes back all refresh tokens. */
  async revokeAll(): Promise<void> {
    for (const id of this.grantIds) await this.revoke(id);
  }

  close(): Promise<void> {
    return this.listener.close();
  }
}
