import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../auth/index.js';
import { bodyFault, limitFault, refuseEncoded } from '../common/http/json-body.js';
import { onceClosed } from '../common/http/once-closed.js';
import { AppConfig } from '../config/index.js';
import { type MessageLimits, readBody, RequestCapacity } from '../a2a/index.js';

/** Methods whose bodies say nothing to any route. */
const BODYLESS = new Set(['DELETE', 'OPTIONS']);
/** Whoever sends a body to a route that asks for no key. */
const STRANGER: Principal = { id: '', organization: '', scopes: new Set() };

/**
 * The bodies of the admin API: JSON, received as those of A2A are, with room and progress. A body has its
 * room until its request has been answered.
 */
@Injectable()
export class AdminBodies {
  private readonly responses = new WeakMap<object, ServerResponse>();
  private readonly limits: MessageLimits;

  constructor(
    private readonly capacity: RequestCapacity,
    { server }: AppConfig,
  ) {
    // The rest is limited when a body has come: see `limitFault`.
    this.limits = { maxBytes: server.adminBodyLimit, maxValues: Infinity, maxNesting: Infinity };
  }

  /** Parses the bodies of all routes but those with parsers of their own; an empty one is none. */
  parse(server: FastifyInstance): void {
    const parseJson = server.getDefaultJsonParser('error', 'error');
    server.removeAllContentTypeParsers();
    server.addHook('preParsing', (request, { raw }, _payload, done) => {
      this.responses.set(request, raw);
      done();
    });
    server.addContentTypeParser(
      'application/json',
      (request: FastifyRequest, raw: IncomingMessage, done) => {
        // Left unread.
        if (BODYLESS.has(request.method)) return done(null);
        this.receive(request, raw).then(
          (bytes) => {
            if (bytes.length === 0) return done(null);
            const fault = limitFault(bytes);
            if (fault !== undefined) return done(fault);
            const body = bytes.toString();
            void parseJson(request, body, (error, json) =>
              done(error && bodyFault(body, error), json),
            );
          },
          (error: Error) => done(error),
        );
      },
    );
  }

  private async receive(request: FastifyRequest, raw: IncomingMessage): Promise<Buffer> {
    refuseEncoded(request.headers['content-encoding']);
    const caller = request.principal ?? STRANGER;
    const { bytes, reservation } = await readBody(raw, caller, this.capacity, this.limits);
    const response = this.responses.get(request);
    if (response === undefined) reservation.free();
    else onceClosed(response, () => reservation.free());
    return bytes;
  }
}
