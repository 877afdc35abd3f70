import type { Operator } from '../../auth/index.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { Retry } from '../../routing/index.js';
import type { Why } from './end-delegation.js';
import { withHubData, withoutHubKeys } from './own-ids.js';

type Metadata = Readonly<Record<string, unknown>> | null | undefined;

/*
 * The actions of operators are kept in the metadata of the request that they act on behalf of, under the hub's
 * own key: no client can put anything there, and no agent gets it.
 */

/** Why a task ends whose owner's data is being deleted. */
export const OWNER_DELETED: Why = {
  reason: 'The data of its owner is being deleted.',
  code: 'OWNER_DELETED',
};

/** Who cancels a task in place of its client: an operator, or the deletion of the data of its owner. */
export type Canceler = Operator | 'owner-deleted';

/** The metadata of a cancel, with who requests it. */
export function cancelBy(metadata: Metadata, by: Canceler): Record<string, unknown> {
  const ownData = by === 'owner-deleted' ? { ownerDeleted: true } : { canceledBy: by };
  return withHubData(withoutHubKeys(metadata ?? undefined), ownData);
}

/** The operator that canceled; undefined when the client did. */
export function canceledBy(cancelMetadata: Metadata): Operator | undefined {
  return hubData(cancelMetadata).canceledBy;
}

/** Why a delegation or a task ended that was canceled by request. */
export function cancelOf(cancelMetadata: Metadata): Why {
  const { canceledBy: operator, ownerDeleted } = hubData(cancelMetadata);
  if (ownerDeleted === true) return OWNER_DELETED;
  if (operator === undefined) return CANCELED_BY_CLIENT;
  const why = operator.reason === undefined ? '.' : `: ${operator.reason}`;
  return { reason: `Canceled by an operator${why}`, code: 'CANCELED_BY_OPERATOR' };
}

const CANCELED_BY_CLIENT: Why = { reason: 'Canceled by the client.', code: 'CANCELED_BY_CLIENT' };

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

interface HubData {
  readonly canceledBy?: Operator;
  readonly ownerDeleted?: boolean;
  readonly retry?: Retry;
}

function hubData(metadata: Metadata): HubData {
  const data = metadata?.[ROUTING_EXTENSION_URI];
  return typeof data === 'object' && data !== null ? data : {};
}
