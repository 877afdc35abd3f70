import { Injectable } from '@nestjs/common';
import type { KnownAgent } from './domain/known-agent.js';

type Source = (agentId: string) => KnownAgent | undefined;

/** The agents that there are, for questions about them: the features that have them say which. */
@Injectable()
export class KnownAgents {
  private readonly sources: Source[] = [];

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
}
