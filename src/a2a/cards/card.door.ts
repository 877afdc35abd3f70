import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HubError } from '../../common/hub-error.js';
import { PROBLEM_JSON, problemOf } from '../../common/http/problem.js';
import { single } from '../call-context.js';
import { askedVersion } from '../protocol-version.js';
import type { CardForm } from './card-forms.js';
import { CardService, type ServedCard } from './card.service.js';

type CardRoute = { Params: { agentId?: string } };
type CardRequest = FastifyRequest<CardRoute>;

interface CardPlace {
  readonly url: string;
  /** What a client gets that names no version. */
  readonly form: CardForm;
  /** The path says the version, whatever the header says. */
  readonly fixed?: boolean;
}

const PLACES: readonly CardPlace[] = [
  { url: '/.well-known/agent-card.json', form: 'union' },
  // Clients before 0.3 ask here; SDKs of 1.0 that are sent here name their own version all the same.
  { url: '/.well-known/agent.json', form: '0.3', fixed: true },
  // Conformance tests check this one against the closed schema of 1.0.
  { url: '/a2a/.well-known/agent-card.json', form: '1.0' },
  { url: '/a2a/agents/:agentId/.well-known/agent-card.json', form: 'union' },
  { url: '/a2a/agents/:agentId/.well-known/agent.json', form: '0.3', fixed: true },
];

/** Agents come and go; a client may be this late to notice. */
const MAX_AGE_SECONDS = 60;

/** The cards (A2A §8): public, cacheable, in the version that is asked for. */
@Injectable()
export class CardDoor implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly cards: CardService,
  ) {}

  onModuleInit(): void {
    this.mount(this.adapter.httpAdapter.getInstance<FastifyInstance>());
  }

  mount(server: FastifyInstance): void {
    for (const place of PLACES) {
      server.route<CardRoute>({
        method: 'GET',
        url: place.url,
        exposeHeadRoute: true,
        handler: (request, reply) => this.answer(request, reply, place),
      });
    }
  }

  private async answer(
    request: CardRequest,
    reply: FastifyReply,
    { form: usual, fixed }: CardPlace,
  ): Promise<FastifyReply> {
    const { agentId } = request.params;
    const asked = fixed ? undefined : formFor(single(request.headers['a2a-version']));
    const form = asked ?? usual;
    const card =
      agentId === undefined
        ? await this.cards.hubCard(form)
        : await this.cards.agentCard(agentId, form);
    if (!card) {
      const problem = problemOf(new HubError('NOT_FOUND', 'There is no such agent.'));
      return reply.status(problem.status).type(PROBLEM_JSON).send(JSON.stringify(problem));
    }
    void reply.headers({
      etag: card.etag,
      'last-modified': card.lastModified.toUTCString(),
      'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
      vary: 'A2A-Version',
    });
    if (isUnchanged(request, card)) return reply.status(304).send();
    return reply.type('application/json; charset=utf-8').send(card.body);
  }
}

/** A version the hub does not speak gets what a client without one gets: discovery never fails. */
function formFor(header: string | undefined): CardForm | undefined {
  try {
    return askedVersion(header);
  } catch {
    return undefined;
  }
}

/** RFC 9110 §13.2.2: `If-None-Match` decides alone when it is there. */
function isUnchanged({ headers }: CardRequest, card: ServedCard): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => ['*', card.etag].includes(tag.trim().replace(/^W\//, '')));
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(card.lastModified.getTime() / 1000) * 1000 <= since;
}
