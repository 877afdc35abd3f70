import { Inject, Injectable } from '@nestjs/common';
import { AgentCallError, AgentClient, AgentRegistry, budgetsOf } from '../../agents/index.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { Tracing } from '../../common/tracing/tracing.js';
import { AppConfig } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import { agentOf } from '../domain/agent-of.js';
import { withoutHubKeys } from '../domain/own-ids.js';
import { agentCallOptions } from './call-options.js';
import { TaskTokens } from '../store/task-tokens.js';
import type { Delegation, SentWith, TaskRecord } from '../task.js';
import { CANCELLED } from './cancelled.js';
import { isMissed } from './is-transient.js';

/**
 * Cancels the tasks of agents whose delegations were ended by the hub (policy, deadline, cancel). Each call has
 * a bounded wait, and the hub's task does not depend on it.
 */
@Injectable()
export class DownstreamCancel {
  constructor(
    private readonly client: AgentClient,
    @Inject(AgentRegistry) private readonly registry: Pick<
      AgentRegistry,
      'registeredAt' | 'knownAt'
    >,
    private readonly clock: Clock,
    private readonly logger: Log,
    @Inject(HubSettings) private readonly settings: Pick<HubSettings, 'instanceId'>,
    private readonly tokens: TaskTokens,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'agents'>,
    @Inject(Tracing) private readonly tracing: Pick<Tracing, 'isOn' | 'within'>,
  ) {}

  /**
   * Never rejects. Does nothing for a delegation without a downstream task. `sentWith` is what came with
   * the message the agent has. False when the agent could not be reached, is busy, or did not answer before
   * `stop` aborted, so that it may be worth another attempt.
   */
  async send(
    delegation: Delegation,
    record: TaskRecord,
    sentWith: SentWith,
    stop: AbortSignal,
  ): Promise<boolean> {
    const { client, clock, logger } = this;
    const { downstreamTaskId, agentId } = delegation;
    if (downstreamTaskId === null) return true;
    const call = new AbortController();
    const cut = (): void => call.abort(CANCELLED);
    let forget = (): void => undefined;
    stop.addEventListener('abort', cut);
    if (stop.aborted) cut();
    try {
      const agent = agentOf(this.registry, delegation);
      if (!agent) return true;
      forget = clock.after(budgetsOf(agent, this.config.agents).cancelWaitMs, cut);
      const instanceId = await this.settings.instanceId();
      const sources = { instanceId, tokens: this.tokens, tracing: this.tracing };
      const options = agentCallOptions(record, delegation, sentWith, sources, call.signal);
      const metadata = withoutHubKeys(record.cancelMetadata ?? undefined);
      await client.cancel(agent, downstreamTaskId, options, metadata);
      return true;
    } catch (error) {
      const reason = error instanceof AgentCallError ? error.message : String(error);
      const ids = { taskId: record.id, delegationId: delegation.id, agentId };
      logger.warn({ ...ids, reason }, 'sending a cancel to an agent failed');
      return !isMissed(error);
    } finally {
      forget();
      stop.removeEventListener('abort', cut);
    }
  }
}
