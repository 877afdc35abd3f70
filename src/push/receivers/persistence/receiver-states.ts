import type { ReceiverState } from '../domain/receiver-state.js';

const REFUSED_LAST = `last_failure_at IS NOT NULL
  AND (last_success_at IS NULL OR last_failure_at > last_success_at)`;
const WELL = `state = 'healthy' AND failures = 0`;

/** What `rejectsEvents` says, likewise. */
export const REJECTS_EVENTS = `(state <> 'disabled' AND failures = 0 AND probe_at IS NULL AND ${REFUSED_LAST})`;

/** What `receiverStateOf` says, as conditions on the rows of endpoints. */
export const RECEIVER_STATE_IS: Readonly<Record<ReceiverState, string>> = {
  healthy: `(${WELL} AND last_success_at IS NOT NULL AND NOT (${REFUSED_LAST}))`,
  untried: `(${WELL} AND last_success_at IS NULL AND last_failure_at IS NULL)`,
  failing: `(state = 'failing' OR state = 'healthy' AND (failures > 0 OR ${REFUSED_LAST}))`,
  disabled: `(state = 'disabled')`,
};
