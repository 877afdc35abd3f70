import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HubError } from '../../common/hub-error.js';
import { PROBLEM_JSON, problemOf } from '../../common/http/problem.js';
import { type PublicDocument, servePublicDocument } from '../../common/http/public-document.js';
import { versionRequestedBy } from '../http/version.js';
import { requestedVersion } from '../requested-version.js';
import type { CardForm } from './card-forms.js';
import { CardService } from './card.service.js';

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
  { url: '/a2a/.well-known/agent.json', form: '0.3', fixed: true },
  { url: '/a2a/agents/:agentId/.well-known/agent-card.json', form: 'union' },
  { url: '/a2a/agents/:agentId/.well-known/agent.json', form: '0.3', fixed: true },
];

/** Agents come and go; a client may be this late to notice. */
const MAX_AGE_SECONDS = 60;

/** The cards (A2A §8): public, cacheable, in the version that is asked for. */
@Injectable()
export class CardEndpoints implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly cards: CardService,
  ) {}

  onModuleInit(): void {
    const server = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    for (const place of PLACES) {
      servePublicDocument(server, place.url, (request, reply) => this.read(place, request, reply));
    }
  }

  private async read(
    { form: usual, fixed }: CardPlace,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<PublicDocument | undefined> {
    const { agentId } = request.params as { agentId?: string };
    const form = (fixed ? undefined : formRequestedBy(request)) ?? usual;
    const card =
      agentId === undefined
        ? await this.cards.hubCard(form)
        : await this.cards.agentCard(agentId, form);
    if (!card) {
      const problem = problemOf(new HubError('NOT_FOUND', 'There is no such agent.'));
      void reply.status(problem.status).type(PROBLEM_JSON).send(JSON.stringify(problem));
      return undefined;
    }
    return {
      ...card,
      type: 'application/json; charset=utf-8',
      maxAgeSeconds: MAX_AGE_SECONDS,
      vary: 'A2A-Version',
    };
  }
}

/** A version the hub does not speak gets what a client without one gets: discovery never fails. */
function formRequestedBy(request: FastifyRequest): CardForm | undefined {
  try {
    return requestedVersion(versionRequestedBy(request));
  } catch {
    return undefined;
  }
}
