import { HubError, hubErrorOf } from '../common/hub-error.js';
import { problemOf } from '../common/http/problem.js';
import { type AuditDetails, type AuditEntry, NO_CALLER } from './audit-entry.js';
import type { AuditLog } from './audit-log.js';

/** Something that changes the hub, before it is done. */
export type AuditedChange = Omit<AuditEntry, 'outcome'>;

/** A change that the hub makes by itself: its configuration, its command line or its own rules ask for it. */
export function ownChange(
  action: string,
  resource: AuditEntry['resource'],
  details: AuditDetails,
): AuditedChange {
  return { action, actor: NO_CALLER, resource, requestId: null, policy: null, details };
}

/** What entries are told. */
type Recorder = Pick<AuditLog, 'record'>;

/** Where the result of a change could not be recorded. */
export type NotRecorded = (error: unknown) => void;

/** When a client may try again after the audit log could not be written. */
const RETRY_AFTER_SECONDS = '5';

/**
 * Does `work` between two entries: one that it is attempted, stored before it begins, and one of its result, stored
 * before this resolves. Rejects with UNAVAILABLE, and nothing is done, when the first cannot be stored; otherwise with
 * what `work` rejects with. A result that cannot be stored is left out, and `notRecorded` is told: the work is done.
 * `idOf` finds the id of what was made in the result of `work`.
 */
export async function audited<T>(
  audit: Recorder,
  change: AuditedChange,
  work: () => Promise<T>,
  notRecorded: NotRecorded = () => undefined,
  idOf: (result: T) => string | null = () => null,
): Promise<T> {
  const attempt = await attempted(audit, change);
  const end = async (
    entry: Pick<AuditEntry, 'outcome' | 'resource' | 'details'>,
  ): Promise<void> => {
    try {
      await audit.record({ ...change, ...entry });
    } catch (error) {
      notRecorded(error);
    }
  };
  try {
    const result = await work();
    const { resource } = change;
    const id = idOf(result);
    const isNew = resource !== null && id !== null && !isNamed(id, resource.id);
    await end({
      outcome: 'succeeded',
      resource: resource?.id === null ? { ...resource, id } : resource,
      details: { ...change.details, attempt, ...(isNew && resource.id !== null && { made: id }) },
    });
    return result;
  } catch (thrown) {
    const error = hubErrorOf(thrown);
    const { status } = problemOf(error);
    const details = { ...change.details, attempt, reason: error.reason, status };
    await end({ outcome: 'failed', resource: change.resource, details });
    throw thrown;
  }
}

/** Whether the ids of a resource, outermost first, end with this one. */
function isNamed(id: string, resource: string | null): boolean {
  return resource === id || resource?.endsWith(`/${id}`) === true;
}

async function attempted(audit: Recorder, change: AuditedChange): Promise<string> {
  try {
    return await audit.record({ ...change, outcome: 'attempted' });
  } catch (cause) {
    const text =
      'The audit log cannot be written, so nothing was changed: see the log of the hub, then try again.';
    throw new HubError('UNAVAILABLE', text, {
      cause,
      metadata: { retryAfterSeconds: RETRY_AFTER_SECONDS },
    });
  }
}
