import type { HubError } from '../../common/hub-error.js';
import type { CardTrouble } from '../agent.js';
import { repeatedSkillsOf } from './repeated-skills.js';

/** Characters of a reason that are kept. */
const MAX_REASON = 1000;

/**
 * The trouble of a card that is taken without what is in it twice; null without any. It is as old as the
 * one `before` when it is the same.
 */
export function adjustedBy(
  originalCard: string,
  now: Date,
  before: CardTrouble | null,
): CardTrouble | null {
  const reason = repeatedSkillsOf(originalCard)?.slice(0, MAX_REASON);
  if (reason === undefined) return null;
  const isKnown = before?.kind === 'adjusted' && before.reason === reason;
  return isKnown ? before : { reason, since: now, kind: 'adjusted' };
}

/** The trouble of a card that was read again and is not taken. */
export function refusedBy({ message }: Pick<HubError, 'message'>, since: Date): CardTrouble {
  return { reason: message.slice(0, MAX_REASON), since, kind: 'refused' };
}
