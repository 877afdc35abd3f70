import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { BREAKER_STATES } from '../../common/circuit-breaker.js';
import type { Agent } from '../agent.js';
import type { SeenProcess, StoredCondition } from '../registry/condition-store.js';
import { HEALTH_STATES } from './agent-health.js';
import { AGENT_VERDICTS } from './domain/agent-verdict.js';
import type { SeenCondition } from './domain/joint-condition.js';

/** A process that has given no sign for so long has gone, or cannot reach the database. */
const SEEN_FOR_MS = 20_000;

interface Process {
  sign: number;
  /** When that sign was first seen; of this process's monotonic clock, so that the clocks of machines may differ. */
  signAt: number;
  version: number;
  readonly conditions: Map<string, SeenCondition & { readonly revision: number }>;
}

const NONE: readonly SeenCondition[] = [];

/** How other processes that call agents have seen them, in memory, as of the last reading. Empty where there are none. */
@Injectable()
export class OthersConditions {
  private readonly processes = new Map<string, Process>();

  constructor(private readonly clock: Clock) {}

  /** What those that are there, and that know something of it, have seen of the agent since it was changed last. Read on the path of every message. */
  of({ id, updatedAt }: Agent): readonly SeenCondition[] {
    if (this.processes.size === 0) return NONE;
    const found: SeenCondition[] = [];
    const now = this.clock.monotonicMs();
    for (const { signAt, conditions } of this.processes.values()) {
      if (now - signAt > SEEN_FOR_MS) continue;
      const condition = conditions.get(id);
      if (condition?.revision !== updatedAt.getTime() || condition.health === 'unknown') continue;
      found.push(condition);
    }
    return found;
  }

  /** These are all there are. Returns those that have something new to say, and since which version. */
  found(processes: readonly SeenProcess[]): readonly { id: string; version: number }[] {
    const now = this.clock.monotonicMs();
    const ids = new Set(processes.map(({ id }) => id));
    for (const id of this.processes.keys()) if (!ids.has(id)) this.processes.delete(id);
    return processes.flatMap(({ id, sign, version }) => {
      let known = this.processes.get(id);
      if (known === undefined) {
        known = { sign, signAt: now, version: 0, conditions: new Map() };
        this.processes.set(id, known);
      } else if (known.sign !== sign) Object.assign(known, { sign, signAt: now });
      return version > known.version ? [{ id, version: known.version }] : [];
    });
  }

  /** It has said this, in the order of versions. What another version of the hub says in words that are not known here is passed over. */
  received(process: string, conditions: readonly StoredCondition[]): void {
    const known = this.processes.get(process);
    if (known === undefined) return;
    for (const condition of conditions) {
      known.version = condition.version;
      const { health, breaker, verdict } = condition;
      const isKnown =
        (HEALTH_STATES as readonly string[]).includes(health) &&
        (BREAKER_STATES as readonly string[]).includes(breaker) &&
        (AGENT_VERDICTS as readonly string[]).includes(verdict);
      if (isKnown) known.conditions.set(condition.agentId, condition as never);
      else known.conditions.delete(condition.agentId);
    }
  }

  /** Forgets agents that are not registered any more, where there may be many. */
  removeGone(most: number, isThere: (agentId: string) => boolean): void {
    for (const { conditions } of this.processes.values()) {
      if (conditions.size <= most) continue;
      for (const id of conditions.keys()) if (!isThere(id)) conditions.delete(id);
    }
  }
}
