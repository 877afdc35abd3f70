import type { Writable } from '../../common/writable.js';
import { merged } from '../../common/merged.js';
import type {
  Attempt,
  ClientWaits,
  Delegation,
  DelegationPatch,
  DelegationProgress,
  DelegationState,
} from '../task.js';
import { awaitsAuthorization, isEnded, isWaiting } from './delegation-state.js';

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
  const after = { ...before, updatedAt: now };
  for (const key in patch) {
    const value = patch[key as keyof DelegationPatch];
    if (value !== undefined) (after as Record<string, unknown>)[key] = value;
  }
  after.progress = progressAfter(before, after, now);
  return after;
}

/**
 * The progress of a delegation after a change, with the times of what has happened by it and the attempts before,
 * which a decision need not carry on. The time it was first sent is that of its claim: `sending`
 * begins with a claim, and the claim is the last that touched it.
 */
function progressAfter(before: Delegation, after: Delegation, now: Date): DelegationProgress {
  const times: Writable<NonNullable<DelegationProgress['times']>> = {
    ...before.progress.times,
    ...after.progress.times,
  };
  const sent =
    times.sentAt === undefined && before.state === 'sending' && !isTakenBack(before, after);
  const answered =
    times.answeredAt === undefined &&
    (after.downstreamTaskId !== null || (ANSWERED.has(after.state) && !awaitsAuthorization(after)));
  const ended = isEnded(after.state) && !isEnded(before.state);
  const waits = waitsAfter(before, after.state, now.getTime());
  const attempts = after.progress.attempts ?? before.progress.attempts;
  const isNoted = sent || answered || ended || waits !== undefined;
  if (!isNoted && after.progress === before.progress) return after.progress;
  if (sent) times.sentAt = before.updatedAt.getTime();
  if (answered) times.answeredAt = now.getTime();
  if (ended) times.endedAt = now.getTime();
  if (waits !== undefined) times.waits = waits;
  return merged(after.progress, attempts === undefined ? { times } : { attempts, times });
}

/** The waits for the client with one that begins or is over by this change of the state; undefined where none does. */
function waitsAfter(
  { state, progress }: Delegation,
  next: DelegationState,
  now: number,
): ClientWaits | undefined {
  const waits = progress.times?.waits;
  if (isWaiting(next)) {
    if (isWaiting(state)) return undefined;
    return { times: (waits?.times ?? 0) + 1, state: next, since: now, ms: waits?.ms ?? 0 };
  }
  if (!isWaiting(state)) return undefined;
  return waits && { ...waits, until: now, ms: waits.ms + now - waits.since };
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
