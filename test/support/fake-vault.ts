import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpListener, listenOnLoopback } from './http-listener.js';
import type { JsonObject } from './json.js';

/** What speaks Vault's HTTP API as far as the hub uses it. */
export class FakeVault {
  /** By path below the mount `secret`; `denied`: no policy allows to read it, `deleted`: it has no version any more. */
  readonly secrets = new Map<string, JsonObject>();
  /** `METHOD path` of every request, in order. */
  readonly requests: string[] = [];
  readonly namespaces: unknown[] = [];
  readonly bodies: JsonObject[] = [];
  /** Tokens that are taken. */
  readonly tokens = new Set<string>();
  leaseSeconds = 3600;
  renewable = true;
  /** Answers instead of what it does else. */
  trouble: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  private logins = 0;

  private constructor(private listener: HttpListener) {}

  static async start(): Promise<FakeVault> {
    const listener = await listenOnLoopback((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => vault.answer(request, response, Buffer.concat(chunks).toString()));
    });
    const vault: FakeVault = new FakeVault(listener);
    return vault;
  }

  get url(): string {
    return this.listener.url;
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const path = (request.url ?? '').replace('/v1/', '');
    this.requests.push(`${request.method} ${path}`);
    this.namespaces.push(request.headers['x-vault-namespace']);
    if (this.trouble !== undefined) return this.trouble(request, response);
    const send = (status: number, json: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    };
    const token = String(request.headers['x-vault-token'] ?? '');
    if (/^auth\/[\w-]+\/login$/.test(path)) {
      const given = JSON.parse(body) as JsonObject;
      this.bodies.push(given);
      const isKnown = given['role'] === 'hub' || given['secret_id'] === 'right';
      return isKnown
        ? send(200, { auth: this.lease(this.newToken()) })
        : send(400, { errors: ['no'] });
    }
    if (!this.tokens.has(token)) return send(403, { errors: ['permission denied'] });
    if (path === 'auth/token/lookup-self') {
      return send(200, { data: { ttl: this.leaseSeconds, renewable: this.renewable } });
    }
    if (path === 'auth/token/renew-self') return send(200, { auth: this.lease(token) });
    const found = this.secrets.get(path.replace('secret/data/', ''));
    if (found === undefined) return send(404, { errors: [] });
    if (found['denied'] === true) return send(403, { errors: ['permission denied'] });
    if (found['deleted'] === true) {
      const metadata = { deletion_time: '2026-01-01T00:00:00Z', destroyed: false, version: 2 };
      return send(404, { data: { data: null, metadata } });
    }
    return send(200, { data: { data: found, metadata: { version: 1 } } });
  }

  private lease(token: string): JsonObject {
    return { client_token: token, lease_duration: this.leaseSeconds, renewable: this.renewable };
  }

  private newToken(): string {
    const token = `hvs.${++this.logins}`;
    this.tokens.add(token);
    return token;
  }
}
