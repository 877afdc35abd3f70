import type { Operator } from '../../auth/index.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { Retry } from '../../routing/index.js';
import { withHubData, withoutHubKeys } from './own-ids.js';

type Metadata = Readonly<Record<string, unknown>> | null | undefined;

/*
 * The actions of operators are kept in the metadata of the request that they act on behalf of, under the hub's
 * own key: no client can put anything there, and no agent gets it.
 */

/** The metadata of a cancel, with the operator that requests it. */
export function cancelByOperator(metadata: Metadata, by: Operator): Record<string, unknown> {
  return withHubData(withoutHubKeys(metadata ?? undefined), { canceledBy: by });
}

/** The operator that canceled; undefined when the client did. */
export function canceledBy(cancelMetadata: Metadata): Operator | undefined {
  return hubData(cancelMetadata).canceledBy;
}

/** Why a delegation or a task ended that was canceled by request. */
export function cancelReason(cancelMetadata: Metadata): string {
  const operator = canceledBy(cancelMetadata);
  if (operator === undefined) return 'Canceled by the client.';
  return operator.reason === undefined
    ? 'Canceled by an operator.'
    : `Canceled by an operator: ${operator.reason}`;
}

/** The metadata of a send, with the task that it retries. The client's routing options stay. */
export function retryByOperator(metadata: Metadata, retry: Retry): Record<string, unknown> {
  return withHubData(metadata ?? undefined, { ...hubData(metadata), retry });
}

/** The metadata as the client has sent it. */
export function withoutRetry(metadata: Metadata): Record<string, unknown> | undefined {
  const { retry, ...rest } = hubData(metadata);
  if (retry === undefined) return metadata ?? undefined;
  const others = withoutHubKeys(metadata ?? undefined);
  return Object.keys(rest).length > 0 ? withHubData(others, rest) : others;
}

/** The task of which this one is a retry. */
export function retryOf(requestMetadata: Metadata): Retry | undefined {
  return hubData(requestMetadata).retry;
}

function hubData(metadata: Metadata): { readonly canceledBy?: Operator; readonly retry?: Retry } {
  const data = metadata?.[ROUTING_EXTENSION_URI];
  return typeof data === 'object' && data !== null ? data : {};
}
