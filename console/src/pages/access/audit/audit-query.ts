import type { Schema } from '../../../api/client';
import type { Span } from '../../../api/time-span';
import type { AccessSearch } from '../search';

export interface AuditQuery {
  readonly from?: string;
  readonly to?: string;
  readonly principal?: string;
  readonly organization?: string;
  readonly onBehalfOf?: string;
  readonly action?: string;
  readonly outcome?: Schema<'AuditEventDto'>['outcome'];
  readonly resourceType?: string;
  readonly resourceId?: string;
  readonly requestId?: string;
}

/** The filters of the address as the audit log is asked for with. */
export function auditQueryOf(search: AccessSearch, { since, until }: Span = {}): AuditQuery {
  return {
    from: since,
    to: until,
    principal: search.principal,
    organization: search.organization,
    onBehalfOf: search.onBehalfOf,
    action: search.action,
    outcome: search.outcome as AuditQuery['outcome'],
    resourceType: search.resourceType,
    resourceId: search.resourceId,
    requestId: search.requestId,
  };
}

/** The same behind `?`, for the export. */
export function auditQueryText(query: AuditQuery): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return new URLSearchParams(given).toString();
}
