import {
  type CircuitBreaker,
  releaseProbe,
  stateOf,
  takeProbe,
} from '../../common/circuit-breaker.js';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import { type Agent, budgetsOf } from '../agent.js';
import type { AgentCallError } from '../binding/agent-call-error.js';
import {
  type Admission,
  type AgentCondition,
  AgentHealth,
  type HealthState,
  type TaskResult,
} from './agent-health.js';
import type { QueueAsker } from './agent-load.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentEvents, type AgentStatus } from './agent-events.js';
import { AgentLoads } from './agent-loads.js';
import { OthersConditions } from './others-conditions.js';
import { type AgentVerdict, agentVerdictOf } from './domain/agent-verdict.js';
import { afterOutcome, type AgentRecord, newRecord, type Outcome } from './domain/agent-record.js';
import { callsBefore, type MinuteBefore } from './domain/calls-before.js';
import { signOf } from './domain/health-sign.js';
import { jointCondition, type SeenCondition } from './domain/joint-condition.js';
import { isHealthCheckDue } from './domain/is-health-check-due.js';
import { TaskResults } from './domain/task-results.js';

/** Characters of an error that are kept. */
const ERROR_LIMIT = 300;
const GO: Admission = { kind: 'go' };

/** A call that is under way. */
export interface Call {
  readonly agent: Agent;
  readonly beganAt: number;
  readonly faultsBefore: number;
}

/** How this process has seen an agent, where that has changed. */
export interface ChangedCondition {
  readonly agent: Agent;
  readonly seen: SeenCondition;
}

/** How an agent stands, for operators. */
export interface AgentHealthView extends AgentCondition {
  /** What people are told of it. */
  readonly verdict: AgentVerdict;
  readonly since: Date | null;
  readonly lastOkAt: Date | null;
  readonly lastError: string | null;
  readonly latencyMs: number | null;
  /** As this process has seen it, and so are those after it. Of the tasks it ended lately, 0 to 1, each organization weighing the same; null without any. */
  readonly taskFailureRate: number | null;
  /** Why the task failed that failed last at it. */
  readonly lastTaskError: string | null;
  /** Tasks it has ended since this process knows it as it is. */
  readonly tasksEnded: { readonly completed: number; readonly failed: number };
}

interface Watched {
  record: AgentRecord;
  readonly results: TaskResults;
  /** The agent as it was registered or changed last: what was known of it before is void. */
  readonly revision: number;
  /** Another agent may get the id of one that was deleted. */
  readonly createdAt: number;
  readonly knownSince: number;
  /** The agent's own random number, so that it is looked at in its own rhythm. */
  readonly jitter: number;
  lookedAt: number;
  /** What operators have been published last. */
  published: AgentStatus;
  /** How this process had seen it when that was noted last for others. */
  noted: SeenCondition;
}

const UNKNOWN: SeenCondition = {
  health: 'unknown',
  breaker: 'closed',
  verdict: 'unknown',
  since: null,
  lastError: null,
};

/**
 * {@link AgentHealth}: keeps what calls and looks came to, by the rules of `domain/`, and joins it with what other
 * processes have seen. A process that starts knows nothing itself but whether calls failed ({@link remember}), which is
 * said to people alone, and an agent that is changed or refreshed begins anew.
 */
@Injectable()
export class AgentMonitor extends AgentHealth {
  private readonly watched = new Map<string, Watched>();
  /** Agents that this process sees otherwise than it has said; undefined: it says nothing. */
  private changed: Set<string> | undefined;

  constructor(
    @Inject(AgentRegistry) private readonly registry: Pick<AgentRegistry, 'get' | 'all'>,
    private readonly loads: AgentLoads,
    private readonly events: AgentEvents,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'agents' | 'role'>,
    private readonly log: Log,
    @Inject(OthersConditions) private readonly others: Pick<OthersConditions, 'of'>,
  ) {
    super();
  }

  conditionOf(agentId: string, asker?: QueueAsker): AgentCondition {
    return {
      ...this.statusOf(agentId),
      outstanding: this.loads.outstandingOverall(agentId),
      queued: this.loads.queuedOf(agentId),
      isFull: this.loads.isFull(agentId, asker),
    };
  }

  viewOf(agentId: string): AgentHealthView {
    const watched = this.watchedOf(agentId);
    const record = watched?.record;
    const { since, ...seen } = this.seen(this.registry.get(agentId), watched);
    const failures = watched?.results.failures(this.time());
    return {
      ...this.conditionOf(agentId),
      ...seen,
      since: dateOf(since),
      lastOkAt: dateOf(record?.lastOkAt),
      latencyMs: record?.latencyMs == null ? null : Math.round(record.latencyMs),
      taskFailureRate: failures?.failureRate ?? null,
      lastTaskError: watched?.results.lastError ?? null,
      tasksEnded: watched?.results.counts ?? { completed: 0, failed: 0 },
    };
  }

  taskEnded(agent: Agent, result: TaskResult): void {
    if (!this.isCurrent(agent)) return;
    const watched = this.watch(agent);
    const short = result.ok ? result : { ...result, error: result.error.slice(0, ERROR_LIMIT) };
    watched.results.note(short, this.time());
    this.publish(agent.id, watched);
  }

  admit(agentId: string): Admission {
    const agent = this.registry.get(agentId);
    const watched = agent && this.known(agent);
    if (!watched) return GO;
    const now = this.time();
    const { record } = watched;
    const state = stateOf(record.breaker, now);
    if (state === 'closed') return GO;
    const breaker = takeProbe(record.breaker, now, this.answerMs(agent));
    if (!breaker) {
      const waitMs = state === 'open' ? (record.breaker.openUntil ?? now) - now : 0;
      return { kind: 'wait', waitMs, why: 'is out of service after failed calls' };
    }
    watched.record = { ...record, breaker };
    this.publish(agentId, watched);
    return { kind: 'probe', end: () => this.endProbe(watched, breaker) };
  }

  /** A call to the agent begins; {@link answered} or {@link failed} tells what it came to. */
  began(agent: Agent): Call {
    const faultsBefore = this.known(agent)?.record.faults ?? 0;
    return { agent, beganAt: this.time(), faultsBefore };
  }

  answered({ agent, beganAt }: Call, by: Outcome['by'] = 'call'): void {
    this.note(agent, { ok: true, by, latencyMs: this.time() - beganAt });
  }

  /** The call failed with this error; `answered` when the error says that the agent lives. */
  failed(call: Call, error: AgentCallError): void {
    const sign = signOf(error);
    if (sign === 'nothing') return;
    if (sign === 'alive') this.answered(call);
    else this.broke(call, error.message);
  }

  broke({ agent, faultsBefore }: Call, error: string, by: Outcome['by'] = 'call'): void {
    this.note(agent, { ok: false, by, faultsBefore, error: error.slice(0, ERROR_LIMIT) });
  }

  /** What it did before this process began; nothing once it was called. */
  remember(agent: Agent, minutes: readonly MinuteBefore[]): void {
    const watched = this.watch(agent);
    if (watched.record.calls.length > 0) return;
    watched.record = { ...watched.record, calls: callsBefore(minutes) };
  }

  /** The agents whose cards are to be looked at now. */
  dueForHealthCheck(): Agent[] {
    const { probeIntervalMs } = this.config.agents.health;
    if (probeIntervalMs === 0) return [];
    const now = this.time();
    return this.registry.all().filter((agent) => {
      if (!agent.enabled || agent.cardUrl === null) return false;
      const watched = this.watch(agent);
      return isHealthCheckDue(watched.record, { ...watched, intervalMs: probeIntervalMs }, now);
    });
  }

  /** The agent's card is about to be looked at, whatever it comes to. */
  looked(agent: Agent): void {
    this.watch(agent).lookedAt = this.time();
  }

  /** Forgets agents that are gone, and tells of what only time or a changed record has changed. */
  removeGone(): void {
    for (const id of this.watched.keys()) {
      const agent = this.registry.get(id);
      if (agent) this.publish(id, this.watch(agent));
      else this.watched.delete(id);
    }
  }

  /** From now on {@link takeChanged} has what changes. */
  keepChanged(): void {
    this.changed = new Set();
  }

  /** How this process sees the agents of which that has changed since it was taken last. */
  takeChanged(): readonly ChangedCondition[] {
    const ids = [...(this.changed ?? [])];
    this.changed?.clear();
    return ids.flatMap((id) => {
      const agent = this.registry.get(id);
      const watched = agent && this.known(agent);
      if (!agent) return [];
      const seen = watched ? this.ownSeen(watched) : UNKNOWN;
      // Others know of no tasks that it failed here.
      return [
        {
          agent,
          seen: { ...seen, lastError: seen.lastError ?? watched?.results.lastError ?? null },
        },
      ];
    });
  }

  /** It is to be taken again. */
  markChanged(agentId: string): void {
    this.changed?.add(agentId);
  }

  /** Another process has said how it sees this agent. */
  received(agentId: string): void {
    const agent = this.registry.get(agentId);
    if (agent) this.publish(agentId, this.watch(agent));
  }

  private note(agent: Agent, outcome: Outcome): void {
    if (!this.isCurrent(agent)) return;
    const watched = this.watch(agent);
    const { health } = this.config.agents;
    watched.record = afterOutcome(watched.record, outcome, health, this.time(), this.ids.jitter());
    this.publish(agent.id, watched);
  }

  /** A run may hold the agent as it was, at another address. */
  private isCurrent(agent: Agent): boolean {
    const current = this.registry.get(agent.id);
    return current !== undefined && revisionOf(current) === revisionOf(agent);
  }

  /** One that answers and fails its tasks all the same is not healthy: it gets work after its equals. */
  private withResults(health: HealthState, { results }: Watched): HealthState {
    if (health !== 'healthy' && health !== 'unknown') return health;
    return results.failures(this.time()).isFailing ? 'degraded' : health;
  }

  private publish(agentId: string, watched: Watched): void {
    const { record, published: before } = watched;
    this.noteOwn(agentId, watched);
    const seen = this.seen(this.registry.get(agentId), watched);
    const published: AgentStatus = { health: seen.health, breaker: seen.breaker };
    if (published.health === before.health && published.breaker === before.breaker) return;
    watched.published = published;
    const lastError = seen.lastError ?? record.lastError ?? watched.results.lastError;
    this.events.publish({ agentId, ...published, before, lastError, at: this.clock.now() });
    const fields = { agentId, ...published, before };
    const isWorse =
      (published.health === 'down' && before.health !== 'down') ||
      (published.breaker === 'open' && before.breaker !== 'open');
    if (isWorse) {
      this.log.warn({ ...fields, lastError }, 'agent health got worse');
    } else {
      this.log.info(fields, 'agent health changed');
    }
  }

  private noteOwn(agentId: string, watched: Watched): void {
    if (this.changed === undefined) return;
    const own = this.ownSeen(watched);
    const { health, breaker, verdict } = watched.noted;
    if (own.health === health && own.breaker === breaker && own.verdict === verdict) return;
    watched.noted = own;
    this.changed.add(agentId);
  }

  /** How the agent stands, by all who have seen it. */
  private seen(agent: Agent | undefined, watched: Watched | undefined): SeenCondition {
    const own = watched && this.ownSeen(watched);
    const others = agent ? this.others.of(agent) : [];
    return jointCondition(own, others, this.config.role !== 'api') ?? UNKNOWN;
  }

  private ownSeen(watched: Watched): SeenCondition {
    const { record, results } = watched;
    const now = this.time();
    const health = this.withResults(record.health, watched);
    const since = health === record.health ? record.since : results.failures(now).failingSince;
    return {
      health,
      breaker: stateOf(record.breaker, now),
      verdict: verdictFor(health, watched, now),
      since: since ?? null,
      lastError: record.lastError,
    };
  }

  /** For the choice of agents, on the path of every message. */
  private statusOf(agentId: string): AgentStatus {
    const agent = this.registry.get(agentId);
    const watched = agent && this.known(agent);
    const others = agent ? this.others.of(agent) : [];
    if (others.length > 0) {
      const { health, breaker } = this.seen(agent, watched);
      return { health: this.whenTried(agentId, health, breaker), breaker };
    }
    if (!watched) return { health: 'unknown', breaker: 'closed' };
    const breaker = stateOf(watched.record.breaker, this.time());
    const health = this.whenTried(agentId, watched.record.health, breaker);
    return { health: this.withResults(health, watched), breaker };
  }

  private endProbe(watched: Watched, taken: CircuitBreaker): void {
    const { record } = watched;
    const { probeUntil } = record.breaker;
    if (probeUntil === null || probeUntil !== taken.probeUntil) return;
    watched.record = { ...record, breaker: releaseProbe(record.breaker) };
  }

  /**
   * One without an address of its card is never looked at: when its breaker lets somebody try, nobody
   * knows how it is, and only work can tell.
   */
  private whenTried(
    agentId: string,
    health: HealthState,
    breaker: AgentCondition['breaker'],
  ): HealthState {
    if (health !== 'down' || breaker !== 'half-open') return health;
    const isLookedAt =
      this.registry.get(agentId)?.cardUrl !== null && this.config.agents.health.probeIntervalMs > 0;
    return isLookedAt ? 'down' : 'unknown';
  }

  /** How long the agent may take to answer a message. */
  private answerMs(agent: Agent): number {
    const { connectMs, firstEventMs } = budgetsOf(agent, this.config.agents);
    return connectMs + firstEventMs;
  }

  private watchedOf(agentId: string): Watched | undefined {
    const agent = this.registry.get(agentId);
    return agent && this.known(agent);
  }

  private known(agent: Agent): Watched | undefined {
    const watched = this.watched.get(agent.id);
    return watched?.revision === revisionOf(agent) ? watched : undefined;
  }

  private watch(agent: Agent): Watched {
    const known = this.known(agent);
    if (known) return known;
    const now = this.time();
    const createdAt = agent.createdAt.getTime();
    const other = this.watched.get(agent.id);
    const before = other?.createdAt === createdAt ? other : undefined;
    const watched: Watched = {
      record: newRecord(now),
      results: new TaskResults(this.config.agents.health),
      revision: revisionOf(agent),
      createdAt,
      knownSince: now,
      jitter: this.ids.jitter(),
      lookedAt: now,
      published: before?.published ?? { health: 'unknown', breaker: 'closed' },
      noted: UNKNOWN,
    };
    this.watched.set(agent.id, watched);
    this.publish(agent.id, watched);
    return watched;
  }

  private time(): number {
    return this.clock.now().getTime();
  }
}

function verdictFor(health: HealthState, watched: Watched | undefined, now: number): AgentVerdict {
  if (watched === undefined) return health;
  const { record, results } = watched;
  const tasksRecovered = record.health === 'healthy' && results.hasRecovered;
  return agentVerdictOf(health, record.calls, tasksRecovered, now);
}

function revisionOf({ updatedAt }: Agent): number {
  return updatedAt.getTime();
}

function dateOf(time: number | null | undefined): Date | null {
  return time == null ? null : new Date(time);
}
