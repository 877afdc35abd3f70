import type {
  Attempt,
  Delegation,
  DelegationPatch,
  DelegationProgress,
  DelegationState,
} from '../task.js';
import { isEnded } from './delegation-state.js';

/** States an agent alone brings a delegation to: by them it has answered. */
const ANSWERED: ReadonlySet<DelegationState> = new Set([
  'working',
  'input-required',
  'auth-required',
  'completed',
  'rejected',
]);

/** The delegation after this patch of it; members that are present but undefined change nothing. */
export function patched(before: Delegation, patch: DelegationPatch, now: Date): Delegation {
  const after = { ...before } as Record<keyof Delegation, unknown>;
  for (const key of Object.keys(patch) as (keyof DelegationPatch)[]) {
    if (patch[key] !== undefined) after[key] = patch[key];
  }
  after.updatedAt = now;
  return timed(before, after as Delegation, now);
}

/**
 * The delegation after a change, with the times of what has happened by it and the attempts before,
 * which a decision need not carry on. The time it was first sent is that of its claim: `sending`
 * begins with a claim, and the claim is the last that touched it.
 */
function timed(before: Delegation, after: Delegation, now: Date): Delegation {
  const times = { ...before.progress.times, ...after.progress.times };
  const sent =
    times.sentAt === undefined && before.state === 'sending' && !isTakenBack(before, after);
  const answered =
    times.answeredAt === undefined &&
    (after.downstreamTaskId !== null || ANSWERED.has(after.state));
  const ended = isEnded(after.state) && !isEnded(before.state);
  const attempts = after.progress.attempts ?? before.progress.attempts;
  if (!sent && !answered && !ended && after.progress === before.progress) return after;
  const progress: DelegationProgress = {
    ...after.progress,
    ...(attempts && { attempts }),
    times: {
      ...times,
      ...(sent && { sentAt: before.updatedAt.getTime() }),
      ...(answered && { answeredAt: now.getTime() }),
      ...(ended && { endedAt: now.getTime() }),
    },
  };
  return { ...after, progress };
}

/** Its message has not left after all: the call that its claim had counted is taken back. */
function isTakenBack(before: Delegation, after: Delegation): boolean {
  return after.calls < before.calls;
}

/** The attempts of a delegation whose present agent did not take the message either, or was not asked. */
export function attemptsWith(
  delegation: Delegation,
  why: string,
  now: Date,
  wasCalled: boolean,
): readonly Attempt[] {
  const { agentId, agentName, skillId, updatedAt, progress } = delegation;
  const attempt = {
    agentId,
    agentName,
    ...(skillId !== null && { skillId }),
    ...(wasCalled && { calledAt: updatedAt.getTime() }),
    endedAt: now.getTime(),
    why,
  };
  return [...(progress.attempts ?? []), attempt];
}
