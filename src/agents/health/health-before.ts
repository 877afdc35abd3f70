import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log } from '../../common/logger.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentHours } from './agent-hours.js';
import { AgentMonitor } from './agent-monitor.js';

/** Lets a process that starts know which agents failed their calls in the hour before: not all of them are well because it knows nothing. */
@Injectable()
export class HealthBefore implements OnApplicationBootstrap {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly hours: AgentHours,
    private readonly monitor: AgentMonitor,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): Promise<void> {
    return this.read().catch((error: unknown) =>
      this.log.warn({ err: error }, 'what agents did before this process began could not be read'),
    );
  }

  private async read(): Promise<void> {
    const agents = this.registry.all();
    const hourOf = await this.hours.of(agents.map(({ id }) => id));
    // Of the others nothing follows from what they did in which minute.
    const failed = agents.filter(({ id }) => hourOf(id).failed > 0);
    const minutesOf = await this.hours.minutes(failed.map(({ id }) => id));
    for (const agent of failed) this.monitor.remember(agent, minutesOf(agent.id));
  }
}
