import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AgentRegistry } from '../agents/index.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { chooseRoute } from './domain/choose.js';
import { askedExtensions } from './domain/extensions.js';
import { inputTypesOf } from './domain/media-types.js';
import type { Route } from './domain/route.js';
import type { HubRequest } from './hub-request.js';

/** What of a request decides its route; a whole {@link HubRequest} has it all. */
export type Routable = Pick<HubRequest, 'principal' | 'agentId' | 'directive' | 'extensions'> & {
  readonly message: Pick<HubRequest['message'], 'parts' | 'extensions'>;
  readonly configuration: { readonly acceptedOutputModes: readonly string[] } | undefined;
};

/** Chooses agents for messages that begin a task. */
@Injectable()
export class RoutingService implements OnApplicationBootstrap {
  constructor(
    private readonly registry: AgentRegistry,
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
   * message of its context. Throws HubError NO_ROUTE (its message and `metadata.skills` list what the
   * caller may use), EXTENSION_SUPPORT_REQUIRED or INVALID_PARAMS.
   */
  route(request: Routable, affinity: readonly string[]): Route {
    return chooseRoute({
      agents: this.registry.usable(request.principal),
      directive: request.directive,
      agentId: request.agentId,
      affinity,
      extensions: askedExtensions(request.extensions, request.message),
      defaultAgent: this.config.routing.defaultAgent,
      media: {
        input: inputTypesOf(request.message),
        output: request.configuration?.acceptedOutputModes ?? [],
      },
    });
  }
}
