import { Injectable } from '@nestjs/common';
import { Signal } from '../../common/signal.js';
import { Spread } from '../../common/spread.js';
import type { AgentFailureKind } from '../binding/public-failure.js';

/** The operations of A2A that agents are called with. */
export type AgentOperation =
  | 'SendMessage'
  | 'SendStreamingMessage'
  | 'SubscribeToTask'
  | 'GetTask'
  | 'CancelTask'
  | 'ListTasks';

/**
 * What a call to an agent came to: an answer, a failure, none in time, a stream without an event; `dropped`: the hub
 * needed it no more;
 * `hub`: it could not ask the agent.
 */
export type AgentCallOutcome = 'ok' | AgentFailureKind | 'late' | 'empty' | 'dropped' | 'hub';

const BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120];

/** What the calls of one agent came to, and how long it took until it answered. */
export class CallsOfAgent {
  /** By operation, then by outcome. */
  readonly counts = new Map<AgentOperation, Map<AgentCallOutcome, number>>();
  /** Seconds to the answer of a call, streams not among them. */
  readonly answers = new Spread(BUCKETS);
  /** Seconds to the first event of a stream. */
  readonly firstEvents = new Spread(BUCKETS);

  ended(operation: AgentOperation, outcome: AgentCallOutcome, seconds: number): void {
    const outcomes = this.counts.get(operation) ?? new Map<AgentCallOutcome, number>();
    this.counts.set(operation, outcomes);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (outcome !== 'ok') return;
    const isStream = operation === 'SendStreamingMessage' || operation === 'SubscribeToTask';
    (isStream ? this.firstEvents : this.answers).observe(seconds);
  }
}

/** What a call came to, and how long it took until then or, that of a stream, until its first event. */
export interface EndedCall {
  readonly agentId: string;
  readonly operation: AgentOperation;
  readonly outcome: AgentCallOutcome;
  readonly seconds: number;
}

/** The calls of this process to each agent since it began, as far as they have come to something; looks at cards are none. */
@Injectable()
export class AgentCalls {
  private readonly agents = new Map<string, CallsOfAgent>();
  private readonly signal = new Signal<EndedCall>();

  ended(call: EndedCall): void {
    const { agentId, operation, outcome, seconds } = call;
    let calls = this.agents.get(agentId);
    if (calls === undefined) this.agents.set(agentId, (calls = new CallsOfAgent()));
    calls.ended(operation, outcome, seconds);
    this.signal.emit(call);
  }

  /** Calls `listener` with each call that has ended. */
  onEnded(listener: (call: EndedCall) => void): void {
    this.signal.listen(listener);
  }

  of(agentId: string): CallsOfAgent | undefined {
    return this.agents.get(agentId);
  }

  /** Forgets agents that are not registered any more. */
  removeGone(isThere: (agentId: string) => boolean): void {
    for (const id of this.agents.keys()) if (!isThere(id)) this.agents.delete(id);
  }
}
