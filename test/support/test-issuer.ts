import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  SignJWT,
  type CryptoKey,
} from 'jose';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

interface SigningPair {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: object;
}

/** An identity provider that says and signs what a test wants. */
export class TestIssuer {
  /** What is asked for, by path. */
  readonly requests: string[] = [];
  /** While true it answers 503 to everything. */
  down = false;
  /** The tokens that it was asked about. */
  readonly shown: string[] = [];
  /** What it says of opaque tokens, by the token. */
  readonly opaque = new Map<string, Record<string, unknown>>();
  /** The `Authorization` of the last introspection. */
  lastClient: string | undefined;
  private pairs: SigningPair[] = [];

  private constructor(private readonly listener: HttpListener) {}

  static async start(): Promise<TestIssuer> {
    let answer = (_: IncomingMessage, response: ServerResponse): void => void response.end();
    const listener = await listenOnLoopback((request, response) => answer(request, response));
    const issuer = new TestIssuer(listener);
    answer = (request, response) => void issuer.answer(request, response);
    await issuer.rotate();
    return issuer;
  }

  get url(): string {
    return this.listener.url;
  }

  /** Signs with a new key from now on, and publishes it beside those before. */
  async rotate(alg = 'RS256'): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = `key-${this.pairs.length + 1}`;
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
    this.pairs.push({ kid, privateKey, publicJwk });
  }

  /** An access token; a member that is undefined is left out. */
  async token(
    claims: Record<string, unknown> = {},
    header: Partial<JWTHeaderParameters> = {},
  ): Promise<string> {
    const { kid, privateKey } = this.pairs.at(-1)!;
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.url, sub: 'alice', org: 'acme', iat: now, exp: now + 300, ...claims };
    return new SignJWT(given(all))
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid, ...header })
      .sign(privateKey);
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.requests.push(path);
    const json = (body: unknown, status = this.down ? 503 : 200): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    if (path === '/.well-known/openid-configuration') {
      json({
        issuer: this.url,
        jwks_uri: `${this.url}/jwks`,
        introspection_endpoint: `${this.url}/introspect`,
      });
    } else if (path === '/jwks') json({ keys: this.pairs.map(({ publicJwk }) => publicJwk) });
    else if (path === '/introspect') {
      this.lastClient = request.headers.authorization;
      let body = '';
      for await (const piece of request) body += String(piece);
      const token = new URLSearchParams(body).get('token') ?? '';
      this.shown.push(token);
      json(this.opaque.get(token) ?? { active: false });
    } else json({}, 404);
  }
}

function given(claims: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
