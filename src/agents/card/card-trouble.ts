import type { HubError } from '../../common/hub-error.js';
import type { CardTrouble } from '../agent.js';

/** Characters of a reason that are kept. */
const MAX_REASON = 1000;

/** The trouble of a card that was read again and is not taken. */
export function refusedBy({ message }: Pick<HubError, 'message'>, since: Date): CardTrouble {
  return { reason: message.slice(0, MAX_REASON), since, kind: 'refused' };
}
