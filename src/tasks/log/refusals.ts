import { HubError, invalidField } from '../../common/hub-error.js';
import type { AppendOutcome } from '../store/prepared-append.js';
import type { Waiting } from './decisions.js';
import { TOO_LARGE_MESSAGE } from './size-limit.js';
import { type Decision, KeyHeldError } from './task-log.js';

/** How an append of a single decision ends when its content is refused. */
export type ContentRefusal = Extract<AppendOutcome, { kind: 'poisoned' | 'duplicate' }>;

/** The error that refuses the decision alone; undefined when the task cannot continue without it. */
export function refusalOf(outcome: ContentRefusal): Error | undefined {
  if (outcome.kind === 'duplicate') return new KeyHeldError(outcome.taskId, outcome.sameRequest);
  // What belongs to the commit (a webhook's configuration, say) refuses it with a reason.
  return outcome.cause instanceof HubError ? outcome.cause : undefined;
}

/** The error that refuses a decision over the size limit; undefined when the task has to end for it. */
export function sizeRefusalOf(waiting: Waiting, decision: Decision<unknown>): HubError | undefined {
  const ofClient = decision.change.events.some(({ kind }) => kind === 'message');
  if (!ofClient && waiting.purpose !== 'ending') return undefined;
  return invalidField('message', TOO_LARGE_MESSAGE);
}

/** What the author of a decision gets that cannot be stored. */
export function notStorable({ purpose }: Waiting, cause: unknown): HubError {
  const what = purpose === 'creation' ? 'task' : 'update';
  return new HubError('INTERNAL', `The ${what} cannot be stored.`, { cause });
}
