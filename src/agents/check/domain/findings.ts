import type { FileForm } from '../../binding/file-forms.js';
import type { AgentEndpoint } from '../../agent.js';
import type { DeviationKind } from '../../registry/agent-deviations.js';

/** Whether an agent does something: as far as one probe can tell. */
export const DOES = ['yes', 'no', 'unclear', 'not-tested'] as const;
export type Does = (typeof DOES)[number];

/**
 * What came of the message of a probe.
 * - `answered`: the agent answered with a message, or its task has ended or waits for its client.
 * - `late`: it has taken the message, and its task goes on at the deadline; or nothing has come by then.
 * - `unreachable`, `refused`: the agent has not got it, or has not accepted it.
 * - `unreadable`: what it answers is not A2A.
 * - `broke-off`: the connection broke, and the task could not be asked for.
 */
export const OUTCOMES = [
  'answered',
  'late',
  'unreachable',
  'refused',
  'unreadable',
  'broke-off',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What one message has shown of an agent. */
export interface Findings {
  readonly outcome: Outcome;
  /** What went wrong, or why its task failed, as far as it may be shown; null when nothing did. */
  readonly error: string | null;
  /** What has answered, in the version that it was spoken to. */
  readonly endpoint: AgentEndpoint;
  /** Where the answer was a task, its state: `completed`, `input-required` …; `message` for a message. */
  readonly answer: string | null;
  readonly streams: Does;
  readonly answersGetTask: Does;
  readonly listsTasks: Does;
  readonly cancels: Does;
  /** Why what is unclear of GetTask, ListTasks and CancelTask is so. */
  readonly doubts: readonly string[];
  /** How it has the bytes of files; null where there is one form only, or it was not asked. */
  readonly files: FileForm | null;
  readonly deviations: readonly DeviationKind[];
  /** From the message to the first event or answer. */
  readonly firstAnswerMs: number | null;
  /** From the message to the end of its task; null when it has not ended. */
  readonly endMs: number | null;
  /** What its server calls itself; null where it does not, or that may not be shown. */
  readonly server: string | null;
  /** Why it is spoken to in a protocol from before A2A 0.2; null when nothing says so. */
  readonly oldWire: string | null;
}

/** Whether this answer is a task that came to nothing. */
export function isFailure(answer: string | null): boolean {
  return answer === 'failed' || answer === 'rejected';
}
