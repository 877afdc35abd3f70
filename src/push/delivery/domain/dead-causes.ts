/*
 * Ends of deliveries that are told apart later, by the reason that is kept with a dead letter: whoever ends one and whoever
 * counts them have the same words here.
 */

/** Behind what the receiver answered: it took neither this event nor any of its retries. */
export const REJECTED = 'the receiver rejects it';

/** Ends that the owner of the webhook asked for. */
export const WEBHOOK_DELETED = 'the webhook was deleted';
export const SUBSCRIPTION_DELETED = 'the subscription was deleted';
export const REPLAYED = 'a replay sends it again as a new delivery';

/** What the owner of the webhook ended has one of these reasons, or one of them {@link reasonOfBacklog}. */
export const WANTED = [WEBHOOK_DELETED, SUBSCRIPTION_DELETED, REPLAYED] as const;

/** Between such a reason and which entries of the log it is of. */
export const OF_BACKLOG = ': entries ';

/** Before why a webhook was disabled, of what it then did not get. */
const DISABLED = 'the webhook is disabled: ';

/** The reason of what a webhook did not get because it was disabled for this reason. */
export function reasonOfDisabled(reason: string): string {
  return `${DISABLED}${reason}`;
}

/** Why, without which entries of the log it is of and whether its webhook was disabled before it: the same for all that one answer ended. */
export function commonReason(reason: string | null): string | null {
  const [why = ''] = reason?.split(OF_BACKLOG) ?? [];
  return reason === null ? null : why.slice(why.startsWith(DISABLED) ? DISABLED.length : 0);
}

/** The reason of one dead letter that stands for all that the log has beyond the position of its stream. */
export function reasonOfBacklog(reason: string, from: number, to: number): string {
  return `${reason}${OF_BACKLOG}${from} to ${to} of the task's log`;
}

/**
 * - `rejected`: the receiver answers, but does not take the event;
 * - `wanted`: the owner of the webhook ended it;
 * - `lost`: all others.
 */
export type DeadCause = 'rejected' | 'wanted' | 'lost';

/** What became of a dead letter with this reason. */
export function deadCauseOf(reason: string | null): DeadCause {
  if (reason === null) return 'lost';
  if (reason.endsWith(`: ${REJECTED}`)) return 'rejected';
  const isWanted = WANTED.some(
    (each) => reason === each || reason.startsWith(`${each}${OF_BACKLOG}`),
  );
  return isWanted ? 'wanted' : 'lost';
}
