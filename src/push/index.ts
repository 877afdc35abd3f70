export { PushConfigService } from './webhooks/push-config.service.js';
export { PushCommitModule } from './push-commit.module.js';
export { deadCauseOf } from './delivery/domain/dead-causes.js';
export { partsOf } from './receivers/endpoint.js';
export {
  isGone,
  RECEIVER_STATES,
  type ReceiverState,
  receiverStateOf,
  rejectsEvents,
} from './receivers/domain/receiver-state.js';
export { DeliveryService } from './records/delivery.service.js';
export type { DeliveryBacklog } from './records/delivery-store.js';
export type { EndpointView } from './receivers/endpoint-store.js';
export { EndpointsService } from './receivers/endpoints.service.js';
export { PushData } from './owners/push-data.js';
export type { TaskWebhook } from './registration/webhook.js';
export { TaskWebhooksService } from './webhooks/task-webhooks.service.js';
export type { WebhookProgress } from './webhooks/webhook-store.js';
export { PushModule } from './push.module.js';
