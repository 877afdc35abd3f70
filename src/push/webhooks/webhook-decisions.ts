import { HubError } from '../../common/hub-error.js';
import type { Webhook, WebhookChange } from '../registration/webhook.js';

/*
 * Decisions of `WebhookStore.update`, which see the webhook as it is.
 */

type Decision = (present: Webhook) => WebhookChange | null;

/** Throws CONFLICT for a disabled one: there is nothing to pause. */
export function paused({ state, scope }: Webhook): WebhookChange | null {
  if (state === 'disabled') {
    throw new HubError(
      'CONFLICT',
      'The webhook is disabled and cannot be paused; resume it first.',
    );
  }
  return state === 'paused' && scope === 'task' ? null : { state: 'paused', stateReason: null };
}

/** A failing one tries at once, and what waits gets its retries anew. */
export function resumed(): WebhookChange {
  return { state: 'active', stateReason: null };
}

/** Throws CONFLICT unless it is still registered as it was `seen`: the secrets that stay were read then. */
export function changed(seen: string, change: WebhookChange): Decision {
  return ({ fingerprint }) => {
    if (fingerprint === seen) return change;
    throw new HubError('CONFLICT', 'The webhook was changed meanwhile; read it and try again.');
  };
}
