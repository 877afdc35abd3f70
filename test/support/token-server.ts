import type { RequestListener } from 'node:http';
import type Provider from 'oidc-provider';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

/** A real OAuth2 token server (oidc-provider) that gives tokens for client credentials. */
export class TokenServer {
  readonly clientId = 'a2a-hub';
  readonly clientSecret = 'client-secret-never-shown-0123456789';
  /** While true it answers 503 to everything. */
  down = false;
  /** While true it answers nothing. */
  hangs = false;
  /** How many requests have come. */
  requests = 0;

  private constructor(
    private readonly listener: HttpListener,
    private readonly provider: Provider,
  ) {}

  static async start(method: 'client_secret_basic' | 'client_secret_post'): Promise<TokenServer> {
    let answer: RequestListener = (_, response) => void response.writeHead(503).end();
    const listener = await listenOnLoopback((request, response) => answer(request, response));
    // Loading it already tells that it is made for tests.
    const { default: OidcProvider } = await import('oidc-provider');
    const provider = new OidcProvider(listener.url, {
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
      },
      scopes: ['webhooks'],
      clients: [
        {
          client_id: 'a2a-hub',
          client_secret: 'client-secret-never-shown-0123456789',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          scope: 'webhooks',
          token_endpoint_auth_method: method,
        },
      ],
    });
    const server = new TokenServer(listener, provider);
    const callback = provider.callback();
    answer = (request, response) => {
      server.requests += 1;
      if (server.hangs) return;
      if (server.down) response.writeHead(503).end();
      else void callback(request, response);
    };
    return server;
  }

  get tokenUrl(): string {
    return `${this.listener.url}/token`;
  }

  /** Whether this is a token of the server that is valid now, for the scope it was asked for. */
  async knows(authorization: string | undefined): Promise<boolean> {
    const value = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
    const token = await this.provider.ClientCredentials.find(value);
    return token?.isValid === true && token.scope === 'webhooks';
  }

  close(): Promise<void> {
    return this.listener.close();
  }
}
