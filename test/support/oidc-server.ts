import type { RequestListener } from 'node:http';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

/** A real OpenID provider (oidc-provider) whose clients get JWT access tokens for whatever resource they name. */
export class OidcServer {
  private constructor(private readonly listener: HttpListener) {}

  static async start(): Promise<OidcServer> {
    let answer: RequestListener = (_, response) => void response.writeHead(503).end();
    const listener = await listenOnLoopback((request, response) => answer(request, response));
    const { default: Provider } = await import('oidc-provider');
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
      clients: [client('billing'), client('operations')],
    });
    answer = provider.callback();
    return new OidcServer(listener);
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

  close(): Promise<void> {
    return this.listener.close();
  }
}
