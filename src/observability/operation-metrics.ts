import { Injectable } from '@nestjs/common';
import type { CallNote } from '../common/call-note.js';
import type { ErrorReason } from '../common/hub-error.js';
import { Metrics } from './metrics.js';

/** What a call came to: whose fault it was that it failed, or that its client has left before the end of its answer. */
export type CallOutcome = 'ok' | 'refused' | 'agent-failed' | 'failed' | 'left';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300];

/** Faults of the hub, and of agents; anything else is the caller's. */
const OUTCOMES: Partial<Record<ErrorReason, CallOutcome>> = {
  INTERNAL: 'failed',
  UNAVAILABLE: 'failed',
  AGENT_UNREACHABLE: 'agent-failed',
  AGENT_BUSY: 'agent-failed',
  INVALID_AGENT_RESPONSE: 'agent-failed',
};

/** Refused before it was known what is asked. */
const UNKNOWN = '(unknown)';

/**
 * Calls of A2A as numbers, whatever their binding: over JSON-RPC the HTTP status says nothing. Operations are those
 * that there are, by their names in 1.0; what a client has made up is none.
 */
@Injectable()
export class OperationMetrics {
  private readonly durations;
  private readonly errors;

  constructor(metrics: Metrics) {
    this.durations = metrics.histogram(
      'operation_duration_seconds',
      'Seconds from a call of A2A to the end of its answer, by binding, operation and outcome (ok, refused: the caller is at fault, agent-failed, failed: the hub is, left: the client has left).',
      ['binding', 'operation', 'outcome'],
      BUCKETS,
    );
    this.errors = metrics.counter(
      'operation_errors_total',
      'Calls of A2A that failed, by binding, operation and reason (docs/errors.md).',
      ['binding', 'operation', 'reason'],
    );
  }

  ended(binding: string, note: CallNote, seconds: number, cut: boolean): void {
    const { operation = UNKNOWN, reason } = note;
    const outcome = outcomeOf(reason, cut);
    this.durations.observe({ binding, operation, outcome }, seconds);
    if (reason !== undefined) this.errors.inc({ binding, operation, reason });
  }
}

function outcomeOf(reason: ErrorReason | undefined, cut: boolean): CallOutcome {
  if (reason !== undefined) return OUTCOMES[reason] ?? 'refused';
  return cut ? 'left' : 'ok';
}
