import type { Span } from '../../../api/time-span';
import type { WebhookSearch } from '../search';

/** The filters of the address as deliveries are asked for with. */
export interface DeliveryQuery extends Span {
  readonly taskId?: string;
  readonly configId?: string;
  readonly endpoint?: string;
  readonly organization?: string;
}

/** As dead letters are: the time of the address is of when they were given up. */
export interface DeadLetterQuery extends DeliveryQuery {
  readonly givenUpSince?: string;
  readonly givenUpUntil?: string;
}

export function deliveryQueryOf(search: WebhookSearch, span: Span = {}): DeliveryQuery {
  return { ...span, ...idsOf(search) };
}

export function deadLetterQueryOf(
  search: WebhookSearch,
  { since: givenUpSince, until: givenUpUntil }: Span = {},
): DeadLetterQuery {
  return { givenUpSince, givenUpUntil, ...idsOf(search) };
}

function idsOf({ task, config, endpoint, organization }: WebhookSearch) {
  return { taskId: task, configId: config, endpoint, organization };
}

export function isFiltered(query: DeadLetterQuery): boolean {
  return Object.values(query).some((value) => value !== undefined);
}
