import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { etagOf, servePublicDocument } from '../../common/http/public-document.js';
import { AppConfig, PublicUrl } from '../../config/index.js';
import { AccessTokens } from './access-tokens.js';

/** Where the metadata of a protected resource is, before the resource's own path (RFC 9728 §3.1). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';
const A2A_PATH = '/a2a';
const MAX_AGE_SECONDS = 300;

/** The path of the metadata of the resource that a request is for, when it has some of its own. */
export function metadataPathOf(url: string): string | undefined {
  return /^\/a2a(?=[/?]|$)/.test(url) ? METADATA_PATH + A2A_PATH : undefined;
}

/** Says whose access tokens the hub takes (RFC 9728): for the hub as a whole, and for its A2A endpoint. */
@Injectable()
export class ProtectedResource implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly config: AppConfig,
    private readonly tokens: AccessTokens,
    private readonly publicUrl: PublicUrl,
  ) {}

  onModuleInit(): void {
    if (this.config.auth.issuers.length === 0) return;
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    for (const path of ['', A2A_PATH]) {
      servePublicDocument(server, METADATA_PATH + path, () => {
        const body = JSON.stringify(this.metadataOf(`${this.publicUrl.base}${path}`));
        return Promise.resolve({
          body,
          type: 'application/json',
          etag: etagOf(body),
          maxAgeSeconds: MAX_AGE_SECONDS,
        });
      });
    }
  }

  /** RFC 9728 §2. */
  private metadataOf(resource: string): object {
    const { issuers } = this.tokens;
    const scopes = new Set(issuers.flatMap(({ grants }) => [...grants.scopes.keys()]));
    return {
      resource,
      authorization_servers: issuers.map(({ issuer }) => issuer),
      bearer_methods_supported: ['header'],
      ...(scopes.size > 0 && { scopes_supported: [...scopes] }),
      resource_name: this.config.card.name,
      jwks_uri: `${this.publicUrl.base}/.well-known/jwks.json`,
    };
  }
}
