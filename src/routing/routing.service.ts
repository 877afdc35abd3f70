import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AgentHealth, AgentRegistry } from '../agents/index.js';
import type { Principal } from '../auth/index.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { offeredComposites } from './composites/domain/offered.js';
import { checkFirstCalls } from './domain/call-limit.js';
import { RouteChooser } from './domain/choose.js';
import { ExcludedAgents } from './domain/excluded.js';
import type { Registered } from './domain/excluded-search.js';
import { requestedExtensions } from './domain/extensions.js';
import { inputTypesOf } from './domain/media-types.js';
import { textOf } from './domain/message-text.js';
import type { RoutingQuestion, RuleVerdict } from './domain/question.js';
import { CompositeSource, prepareUsable } from './composite-source.js';
import { type PassedOver, RULE_TEXT_LENGTH, type RuleQuestion } from './domain/rule-decision.js';
import { RuleSource } from './rule-source.js';
import type { Route } from './domain/route.js';
import type { UsedUp } from './domain/used-up.js';
import type { HubRequest } from './hub-request.js';
import { TextRouter } from './text-router.js';
import type { Usable } from './text-view.js';

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
   * message of its context; `rules` stand in for the operator's, to try some out; `usedUp` is passed over where there are others;
   * `noteExcluded` gets what tells, once this has resolved or rejected, which agents the caller may not use. Rejects with HubError
   * NO_ROUTE (its message and `metadata.skills` list what the caller may use), INVALID_PARAMS (also when
   * the task may not make as many calls as its first agents need), AGENT_BUSY, CONTENT_TYPE_NOT_SUPPORTED or EXTENSION_SUPPORT_REQUIRED.
   */
  async route(
    request: Routable,
    affinity: readonly string[],
    rules: RuleSource = this.rules,
    usedUp: readonly UsedUp[] = [],
    noteExcluded: (excluded: ExcludedAgents) => void = () => undefined,
  ): Promise<Route> {
    await prepareUsable(request.principal, this.registry, this.composites);
    const question = this.questionOf(request, affinity, rules);
    const excluded = this.excludedOf(request.principal, question);
    noteExcluded(excluded);
    const route = await this.choose(request, { usedUp, excluded, ...question });
    checkFirstCalls(route, request.directive, this.config.tasks.maxCalls);
    return route;
  }

  private async choose(request: Routable, question: RoutingQuestion): Promise<Route> {
    const chooser = new RouteChooser(question);
    const named = chooser.named();
    if (named) return named;
    const { principal, message } = request;
    const usable = this.usable(principal);
    return chooser.unnamed(await this.text.find(principal, message, usable));
  }

  private excludedOf(
    principal: Principal,
    { agents }: Pick<RoutingQuestion, 'agents'>,
  ): ExcludedAgents {
    const { registry } = this;
    const { organization } = principal;
    const registered: Registered = {
      agents: registry.all(),
      closed: registry.closedOf(organization),
      open: registry.openTo(principal),
      isElsewhere: (id) => registry.isElsewhere(organization, id),
      whyNot: (id, skillId) => registry.exclusionOf(principal, id, skillId),
    };
    return new ExcludedAgents(registered, agents);
  }

  private usable(principal: Principal): Usable {
    const agents = this.registry.usable(principal);
    return { agents, composites: offeredComposites(this.composites.usable(principal), agents) };
  }

  private questionOf(
    request: Routable,
    affinity: readonly string[],
    rules: RuleSource,
  ): RoutingQuestion {
    const { principal, message, configuration } = request;
    const { defaultAgent, enforceMediaTypes } = this.config.routing;
    const { agents, composites } = this.usable(principal);
    return {
      agents,
      composites,
      directive: request.directive,
      agentId: request.agentId,
      affinity,
      extensions: requestedExtensions(request.extensions, message),
      defaultAgent,
      media: {
        input: inputTypesOf(message),
        output: configuration?.acceptedOutputModes ?? [],
        isEnforced: enforceMediaTypes,
      },
      decide: (tags) => ruleVerdictOf(rules, ruleQuestionOf(request, tags)),
      conditionOf: (agentId) => this.health.conditionOf(agentId, principal),
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
    text: textOf(message, RULE_TEXT_LENGTH),
    metadata: { ...metadata, ...message.metadata },
  };
}

function ruleVerdictOf(rules: RuleSource, question: RuleQuestion): RuleVerdict {
  const passed: PassedOver[] = [];
  const decision = rules.decide({ ...question, passOver: (each) => passed.push(each) });
  return { decision, passed };
}
