import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { HubError } from '../../common/hub-error.js';
import { AgentCallbacks, CALLBACK_PATH } from '../../tasks/index.js';

/** The header that carries the token of a push config: of 0.3 and most SDKs, and of 1.0. */
const TOKEN_HEADERS = ['x-a2a-notification-token', 'a2a-notification-token'] as const;

/** How long the body of a call may take to come. */
const BODY_TIMEOUT_MS = 10_000;

/**
 * Where agents call back when their task has changed (A2A §4.3). Only the token counts: the body, in
 * whichever version and form, is thrown away, since the agent is asked for its task in any case. Every
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
      onRequest: async ({ params, headers, raw }, reply) => {
        const isGenuine = await this.callbacks.receive(params.delegationId, tokensOf(headers));
        if (!isGenuine) throw new HubError('NOT_FOUND', 'There is no such path.');
        await thrownAway(raw);
        return reply.status(204).send();
      },
      handler: () => undefined,
    });
  }
}

/** Agents that write all of the body before they read the answer are let to. */
async function thrownAway(body: IncomingMessage): Promise<void> {
  body.resume();
  const signal = AbortSignal.timeout(BODY_TIMEOUT_MS);
  await finished(body, { writable: false, signal }).catch(() => undefined);
}

function tokensOf(headers: IncomingHttpHeaders): string[] {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return [...TOKEN_HEADERS.map((name) => headers[name]), bearer].filter(
    (token) => typeof token === 'string',
  );
}
