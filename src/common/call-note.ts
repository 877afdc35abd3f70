import type { EnteredTrace } from './tracing/tracing.js';
import { type ErrorReason, hubErrorOf, type Refusal } from './hub-error.js';

/** The longest id of a task that is noted: one that a client has made up may be of any length. */
const MAX_ID_LENGTH = 100;

/** What could do something to the terminal it is shown in. */
const NOT_PLAIN = /[^\x21-\x7e]/g;

/** What is found out about a call while it is served, for the line of the log that tells of it. */
export interface CallNote {
  /** The `x-request-id` of the call. */
  readonly id: string;
  /** The A2A operation, by its name in 1.0. */
  operation?: string;
  /** The task the call is about, as its client names it, or the one it has begun. */
  taskId?: string;
  /** The trace it belongs to. */
  traceId?: string;
  /** Its place in that trace, where the hub makes spans. */
  trace?: EnteredTrace;
  /** Why it failed, as the error of its answer or the last event of its stream says. */
  reason?: ErrorReason;
  /** Why the caller was refused. */
  refusal?: Refusal;
  /** `error.code` of a JSON-RPC answer, whose HTTP status is 200. */
  code?: number;
}

/** Notes why a call failed. */
export function noteFailure(note: CallNote | undefined, thrown: unknown, code?: number): void {
  if (note === undefined) return;
  const { reason, refusal } = hubErrorOf(thrown);
  note.reason = reason;
  if (refusal !== undefined) note.refusal = refusal;
  if (code !== undefined) note.code = code;
}

/** Notes which task a call is about; does nothing for a call without notes. */
export function noteTask(note: CallNote | undefined, taskId: string): void {
  if (note === undefined || taskId === '') return;
  note.taskId = taskId.slice(0, MAX_ID_LENGTH).replace(NOT_PLAIN, '?');
}

/** Notes which operation of A2A it is. */
export function noteOperation(note: CallNote | undefined, operation: string): void {
  if (note !== undefined) note.operation = operation;
}

/** Notes the place in a trace of a call that came with this `traceparent`. */
export function noteTrace(note: CallNote, trace: EnteredTrace): void {
  note.trace = trace;
  note.traceId = trace.traceparent.slice(3, 35);
}
