import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Deadline } from '../../common/deadline.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import { AppConfig } from '../../config/index.js';
import type { Agent } from '../agent.js';
import { CardReader } from '../card/card-reader.js';
import { RevealedSecrets } from '../client/authentication/revealed-secrets.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentCalls } from './agent-calls.js';
import { AgentMonitor, type Call } from './agent-monitor.js';

/** How often is looked for agents that are due. */
const LOOK_EVERY_MS = 1000;
const SHORTEST_MS = 20;
/** Cards read at once. */
const MAX_AT_ONCE = 16;

/**
 * Looks at the cards of agents that have not been called for a while. A card that is served proves the
 * agent alive; 5xx or no connection counts as a failed call; anything else (a card that has moved, or
 * that now asks for credentials) says nothing. An agent that was given with its card is never looked
 * at: the hub does not know where its card would be.
 */
@Injectable()
export class AgentHealthChecks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly looking = new Set<string>();
  private readonly job: BackgroundJob;

  constructor(
    private readonly monitor: AgentMonitor,
    private readonly reader: CardReader,
    clock: Clock,
    private readonly config: AppConfig,
    private readonly log: Log,
    private readonly secrets: RevealedSecrets,
    private readonly calls: AgentCalls,
    private readonly registry: AgentRegistry,
  ) {
    const { probeIntervalMs, openMinMs } = config.agents.health;
    const everyMs = Math.min(LOOK_EVERY_MS, openMinMs, probeIntervalMs || LOOK_EVERY_MS);
    const rules = {
      name: 'agent health',
      failure: 'agents due for a health check could not be read',
      everyMs: Math.max(SHORTEST_MS, everyMs),
      run: (signal: AbortSignal) => this.lookAtDue(signal),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  /** Waits for none of the looks: each takes its own time. */
  private lookAtDue(signal: AbortSignal): void {
    this.monitor.removeGone();
    this.calls.removeGone((id) => this.registry.get(id) !== undefined);
    const free = MAX_AT_ONCE - this.looking.size;
    const due = this.monitor.dueForHealthCheck().filter(({ id }) => !this.looking.has(id));
    for (const agent of due.slice(0, free)) void this.probe(agent, signal);
  }

  /** Never rejects. */
  private async probe(agent: Agent, signal: AbortSignal): Promise<void> {
    const admission = this.monitor.admit(agent.id);
    if (admission.kind === 'wait') return;
    this.looking.add(agent.id);
    this.monitor.looked(agent);
    // The request itself has the time-out; before it, secrets are read from where they are kept.
    const limit = new Deadline(signal, 2 * this.config.agents.health.probeTimeoutMs);
    try {
      const look = this.look(agent, this.monitor.began(agent));
      await unlessAborted(look, limit.signal, () => limit.signal.reason as Error);
    } catch (error) {
      if (signal.aborted) return;
      this.log.warn(
        { err: error, agentId: agent.id },
        'the health check of an agent could not be run',
      );
    } finally {
      limit.end();
      if (admission.kind === 'probe') admission.end();
      this.looking.delete(agent.id);
    }
  }

  private async look(agent: Agent, call: Call): Promise<void> {
    const { cardUrl, cardHeaders, authentication } = agent;
    if (cardUrl === null) return;
    const { probeTimeoutMs } = this.config.agents.health;
    try {
      const tls = await this.secrets.tlsFor(cardUrl, authentication);
      const { status, isCard } = await this.reader.look(cardUrl, cardHeaders, probeTimeoutMs, tls);
      if (isCard) this.monitor.answered(call, 'health-check');
      else if (status >= 500)
        this.monitor.broke(call, `its card answers HTTP ${status}`, 'health-check');
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      this.monitor.broke(call, error.message, 'health-check');
    }
  }
}
