import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { HubError } from '../../common/hub-error.js';
import { AgentCallbacks, CALLBACK_PATH } from '../../tasks/index.js';

/** The header that carries the token of a push config: of 0.3 and most SDKs, and of 1.0. */
const TOKEN_HEADERS = ['x-a2a-notification-token', 'a2a-notification-token'] as const;

/**
 * Where agents call back when their task has changed (A2A §4.3). Only the token counts: the body, in
 * whichever version and form, is not even read, since the agent is asked for its task in any case. Every
 * call without the right token gets the same 404.
 */
@Injectable()
export class AgentCallbackDoor implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly callbacks: AgentCallbacks,
  ) {}

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    server.route<{ Params: { delegationId: string } }>({
      method: 'POST',
      url: `${CALLBACK_PATH}/:delegationId`,
      onRequest: async ({ params, headers }, reply) => {
        const isGenuine = await this.callbacks.receive(params.delegationId, tokensOf(headers));
        if (!isGenuine) throw new HubError('NOT_FOUND', 'There is no such path.');
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
