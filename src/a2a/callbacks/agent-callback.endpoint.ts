import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { HubError } from '../../common/hub-error.js';
import { thrownAway } from '../../common/http/unread-bodies.js';
import { AgentCallbacks, CALLBACK_PATH } from '../../tasks/index.js';

/** The header that carries the token of a push config: of 0.3 and most SDKs, and of 1.0. */
const TOKEN_HEADERS = ['x-a2a-notification-token', 'a2a-notification-token'] as const;

/** How much of a body is let come, and how long; agents that write all of it before they read the answer are let to. */
const BODY_LIMITS = { ms: 10_000, bytes: 64 * 1024 * 1024 };

/**
 * Where agents call back when their task has changed (A2A §4.3). Only the token counts: the body, in
 * whichever version and form, is thrown away, since the agent is asked for its task in any case. Every
 * call without the right token gets the same 404.
 */
@Injectable()
export class AgentCallbackEndpoint implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly callbacks: AgentCallbacks,
  ) {}

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    server.route<{ Params: { delegationId: string } }>({
      method: 'POST',
      url: `${CALLBACK_PATH}/:delegationId`,
      config: { access: 'secret' },
      onRequest: async ({ params, headers, raw }, reply) => {
        const isGenuine = await this.callbacks.receive(params.delegationId, tokensOf(headers));
        if (!isGenuine) throw new HubError('NOT_FOUND', 'There is no such path.');
        if (headers.expect === undefined) await thrownAway(raw, BODY_LIMITS);
        return reply.status(204).send();
      },
      handler: () => undefined,
    });
  }
}

function tokensOf(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return [...TOKEN_HEADERS.map((name) => headers[name]), bearer].filter(
    (token) => typeof token === 'string',
  );
}
