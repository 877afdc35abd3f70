import type { ErrorReason } from '../../common/hub-error.js';
import type { EndedRequest } from '../request-log.js';
import { ATTR, RPC_OF_GRPC, SPAN } from './span-names.js';

/** Reasons that are the hub's own fault, whatever the binding says of them. */
const FAULTS: ReadonlySet<ErrorReason> = new Set(['INTERNAL', 'UNAVAILABLE']);

/** Ends the span of a request, if it has one, with what is known of it then. */
export function endRequestSpan({ note, to, status, failed }: EndedRequest): void {
  const span = note.trace?.span;
  if (span === undefined) return;
  const { operation, taskId, reason, code } = note;
  const { method, route } = to;
  if (route === undefined) {
    span.rename(operation ?? method);
    span.set(ATTR.RPC_SYSTEM, RPC_OF_GRPC);
    span.set(ATTR.RPC_METHOD, method);
    span.set(ATTR.RPC_STATUS, status === null ? null : String(status));
  } else {
    span.rename(operation ?? SPAN.http(method, route));
    span.set(ATTR.HTTP_METHOD, method);
    span.set(ATTR.HTTP_ROUTE, route);
    span.set(ATTR.HTTP_STATUS, typeof status === 'number' ? status : null);
    span.set(ATTR.RPC_STATUS, code === undefined ? null : String(code));
  }
  span.set(ATTR.REQUEST_ID, note.id);
  span.set(ATTR.OPERATION, operation);
  span.set(ATTR.TASK_ID, taskId);
  span.set(ATTR.ERROR_REASON, reason);
  const isFault = failed || (reason !== undefined && FAULTS.has(reason));
  span.end(isFault ? (reason ?? String(status)) : undefined);
}
