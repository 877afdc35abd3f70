import type { OpenDelivery } from './delivery.js';
import type { DeliveryStream, Reached } from './delivery-stream-store.js';

/** A delivery that can be sent. */
export type ReadyDelivery = OpenDelivery & {
  readonly body: string;
  readonly contentType: string;
};

/**
 * The delivery that the stream has reached, as it can be tried before it is stored; undefined when it has to
 * be stored first, or when there is none. It has the number it will have wherever it is made from here.
 */
export function loggedDelivery(
  stream: DeliveryStream,
  { deliveries: [draft], asLogged }: Reached,
  id: string,
  now: Date,
): ReadyDelivery | undefined {
  if (!asLogged || !draft) return undefined;
  const { body, contentType } = draft;
  if (body === null || contentType === null) return undefined;
  const { taskId, configId, organization, principalId, endpoint } = stream.webhook;
  return {
    ...draft,
    body,
    contentType,
    id,
    streamId: stream.id,
    taskId,
    configId,
    endpoint,
    organization,
    principalId,
    number: stream.lastNumber + 1,
    state: 'pending',
    attempts: 0,
    tries: 0,
    rejections: 0,
    redelivered: false,
    nextAttemptAt: null,
    lastStatus: null,
    reason: null,
    createdAt: now,
    updatedAt: now,
  };
}
