import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import './declare-access.js';
import { varyBy } from './vary.js';

/** A document anybody may read and keep for a while. */
export interface PublicDocument {
  readonly body: string;
  readonly type: string;
  /** In quotes; `W/` before it when the same tag may stand for other bytes of the same meaning. */
  readonly etag: string;
  readonly lastModified?: Date;
  readonly maxAgeSeconds: number;
  /** The request header its content depends on. */
  readonly vary?: string;
}

/** Request headers that pages of other origins may send. */
export const PUBLIC_REQUEST_HEADERS = ['A2A-Version', 'If-None-Match'] as const;
const PREFLIGHT_SECONDS = 86_400;

/**
 * Serves a document at `url` by GET and HEAD, with 304 to who has it already, to pages of every origin
 * (it needs no credentials and shows everybody the same). `read` may answer by itself and give
 * undefined.
 */
export function servePublicDocument(
  server: FastifyInstance,
  url: string,
  read: (request: FastifyRequest, reply: FastifyReply) => Promise<PublicDocument | undefined>,
): void {
  server.route({
    method: 'GET',
    url,
    exposeHeadRoute: true,
    config: { access: 'public' },
    handler: async (request, reply) => {
      void reply.header('access-control-allow-origin', '*');
      void reply.header('access-control-expose-headers', 'ETag');
      const document = await read(request, reply);
      return document ? send(document, request, reply) : reply;
    },
  });
  // Answered before a body, as in the A2A API.
  server.options(url, {
    config: { access: 'public' },
    onRequest: async (_request, reply) =>
      reply
        .status(204)
        .headers({
          allow: 'GET, HEAD, OPTIONS',
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': PUBLIC_REQUEST_HEADERS.join(', '),
          'access-control-max-age': PREFLIGHT_SECONDS,
        })
        .send(),
    handler: () => undefined,
  });
}

/** An entity tag for this text; weak when the served bytes may differ from it. */
export function etagOf(text: string, strength: 'strong' | 'weak' = 'strong'): string {
  const digest = hash('sha256', text, 'base64url').slice(0, 27);
  return `${strength === 'weak' ? 'W/' : ''}"${digest}"`;
}

function send(
  document: PublicDocument,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { body, type, etag, lastModified, maxAgeSeconds, vary } = document;
  void reply.headers({
    etag,
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    ...(lastModified ? { 'last-modified': lastModified.toUTCString() } : {}),
  });
  if (vary !== undefined) varyBy(reply, vary);
  if (isUnchanged(request, document)) return reply.status(304).send();
  return reply.type(type).send(body);
}

/** RFC 9110 §13.2.2: `If-None-Match` decides alone when it is there. */
function isUnchanged(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { etag, lastModified }: PublicDocument,
): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    const wanted = ['*', opaque(etag)];
    return tags.split(',').some((tag) => wanted.includes(opaque(tag.trim())));
  }
  if (!lastModified) return false;
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(lastModified.getTime() / 1000) * 1000 <= since;
}

/** `If-None-Match` compares weakly. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
