import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/index.js';
import type { KnownAgent } from './domain/known-agent.js';

type Source = (agentId: string) => KnownAgent | undefined;

/** The agents that there are, for questions about them: the features that have them say which. */
@Injectable()
export class KnownAgents {
  private readonly sources: Source[] = [];
  /** They come when the hub has started. */
  private readonly declared: ReadonlySet<unknown>;

  constructor(config: AppConfig) {
    this.declared = new Set(config.agents.declared.map(({ id }) => id));
  }

  /** To be told at the start. */
  add(source: Source): void {
    this.sources.push(source);
  }

  get(agentId: string): KnownAgent | undefined {
    for (const source of this.sources) {
      const agent = source(agentId);
      if (agent !== undefined) return agent;
    }
    return undefined;
  }

  /** Which of an agent and its skill there is not; null: both are there, or may be once a declared agent has come. */
  missing(agentId: string, skillId?: string): 'agent' | 'skill' | null {
    const agent = this.get(agentId);
    if (agent === undefined) return this.declared.has(agentId) ? null : 'agent';
    return skillId === undefined || agent.skills.some(({ id }) => id === skillId) ? null : 'skill';
  }
}
