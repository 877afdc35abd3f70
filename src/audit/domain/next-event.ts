import type { Writable } from '../../common/writable.js';
import type { AuditEntry } from '../audit-entry.js';
import { type AuditEvent, type ChainPlace, hashOfEvent } from './audit-event.js';
import { boundedDetails } from './bounded-details.js';
import { bounded } from './bounded-text.js';

/** An entry as the next one of its chain, its texts in bounds. */
export function nextEvent(
  { action, outcome, actor, resource, requestId, policy, details }: AuditEntry,
  chain: string,
  { seq, hash: previousHash }: ChainPlace,
  id: string,
  at: Date,
): AuditEvent {
  const event: Writable<AuditEvent> = {
    id,
    chain,
    seq: seq + 1,
    at,
    action: bounded(action),
    outcome,
    principal: orNull(actor.principal),
    organization: orNull(actor.organization),
    onBehalfOf: orNull(actor.onBehalfOf),
    issuer: orNull(actor.issuer),
    credential: orNull(actor.credential),
    resourceType: orNull(resource?.type),
    resourceId: orNull(resource?.id),
    requestId: orNull(requestId),
    policy: orNull(policy),
    details: boundedDetails(details),
    previousHash,
    hash: '',
  };
  event.hash = hashOfEvent(event);
  return event;
}

function orNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : bounded(text);
}
