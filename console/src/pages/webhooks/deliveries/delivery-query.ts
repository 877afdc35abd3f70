import type { Span } from '../../../ui/time-range';
import type { WebhookSearch } from '../search';

/** The filters of the address as deliveries and dead letters are asked for with. */
export interface DeliveryQuery extends Span {
  readonly taskId?: string;
  readonly configId?: string;
  readonly endpoint?: string;
  readonly organization?: string;
}

export function deliveryQueryOf(search: WebhookSearch, span: Span): DeliveryQuery {
  return {
    ...span,
    taskId: search.task,
    configId: search.config,
    endpoint: search.endpoint,
    organization: search.organization,
  };
}

export function isFiltered(query: DeliveryQuery): boolean {
  return Object.values(query).some((value) => value !== undefined);
}
