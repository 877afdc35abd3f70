import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { etagOf, servePublicDocument } from '../common/http/public-document.js';
import { SigningService } from './signing.service.js';

/** The path of the hub's public keys; every signature names it in `jku`. */
export const JWKS_PATH = '/.well-known/jwks.json';
/** Keys are published for much longer before they sign; this is for those who were made at once. */
const MAX_AGE_SECONDS = 300;

/** The public keys of the hub as a JSON Web Key Set (RFC 7517 §5). */
@Injectable()
export class JwksEndpoint implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly signing: SigningService,
  ) {}

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    servePublicDocument(server, JWKS_PATH, async () => {
      const body = JSON.stringify({ keys: await this.signing.publicKeys() });
      return {
        body,
        type: 'application/jwk-set+json',
        etag: etagOf(body),
        maxAgeSeconds: MAX_AGE_SECONDS,
      };
    });
  }
}
