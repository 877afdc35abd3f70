import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AgentHealth, AgentRegistry } from '../agents/index.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { AgentIndex } from './domain/agent-index.js';
import { RouteChooser } from './domain/choose.js';
import { askedExtensions } from './domain/extensions.js';
import { inputTypesOf } from './domain/media-types.js';
import { textOf } from './domain/message-text.js';
import type { RoutingQuestion, RuleVerdict } from './domain/question.js';
import {
  CompositeSource,
  RULE_TEXT_LENGTH,
  RuleSource,
  type RuleQuestion,
} from './domain/route-extensions.js';
import type { PassedRule, Route } from './domain/route.js';
import type { HubRequest } from './hub-request.js';
import { TextRouter } from './text-router.js';

/** What of a request decides its route; a whole {@link HubRequest} has it all. */
export type Routable = Pick<HubRequest, 'principal' | 'agentId' | 'directive' | 'extensions'> & {
  readonly message: Pick<HubRequest['message'], 'parts' | 'extensions' | 'metadata'>;
  readonly configuration: { readonly acceptedOutputModes: readonly string[] } | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
};

/** Chooses agents for messages that begin a task. */
@Injectable()
export class RoutingService implements OnApplicationBootstrap {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly health: AgentHealth,
    private readonly rules: RuleSource,
    private readonly composites: CompositeSource,
    private readonly text: TextRouter,
    private readonly config: AppConfig,
    private readonly log: Log,
  ) {}

  /** A default agent may be registered later; until then it takes no message. */
  onApplicationBootstrap(): void {
    const { defaultAgent } = this.config.routing;
    if (defaultAgent !== null && !this.registry.get(defaultAgent)) {
      this.log.warn({ agentId: defaultAgent }, 'routing.defaultAgent is not registered');
    }
  }

  /**
   * The agents for this message, with the reasons. `affinity` are the agents that handled the last
   * message of its context; `rules` stand in for the operator's, to try some out. Rejects with HubError
   * NO_ROUTE (its message and `metadata.skills` list what the caller may use), INVALID_PARAMS, AGENT_BUSY,
   * CONTENT_TYPE_NOT_SUPPORTED or EXTENSION_SUPPORT_REQUIRED.
   */
  async route(
    request: Routable,
    affinity: readonly string[],
    rules: RuleSource = this.rules,
  ): Promise<Route> {
    const question = this.questionOf(request, affinity, rules);
    const chooser = new RouteChooser(question);
    const named = chooser.named();
    if (named) return named;
    const { organization } = request.principal;
    const usable = AgentIndex.of(question.agents, question.composites);
    return chooser.unnamed(await this.text.find(organization, request.message, usable));
  }

  private questionOf(
    request: Routable,
    affinity: readonly string[],
    rules: RuleSource,
  ): RoutingQuestion {
    const { principal, message, configuration } = request;
    const { defaultAgent, enforceMediaTypes } = this.config.routing;
    return {
      agents: this.registry.usable(principal),
      composites: this.composites.usable(principal),
      directive: request.directive,
      agentId: request.agentId,
      affinity,
      extensions: askedExtensions(request.extensions, message),
      defaultAgent,
      media: {
        input: inputTypesOf(message),
        output: configuration?.acceptedOutputModes ?? [],
        isEnforced: enforceMediaTypes,
      },
      decide: (tags) => verdictOf(rules, ruleQuestionOf(request, tags)),
      conditionOf: (agentId) => this.health.conditionOf(agentId),
    };
  }
}

function ruleQuestionOf(
  { principal, message, metadata }: Routable,
  tags: readonly string[],
): RuleQuestion {
  return {
    principal,
    tags,
    inputTypes: inputTypesOf(message),
    text: textOf(message).slice(0, RULE_TEXT_LENGTH),
    metadata: { ...metadata, ...message.metadata },
  };
}

function verdictOf(rules: RuleSource, question: RuleQuestion): RuleVerdict {
  const passed: PassedRule[] = [];
  const decision = rules.decide({ ...question, passOver: (rule) => passed.push(rule) });
  return { decision, passed };
}
