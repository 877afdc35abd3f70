export { PushConfigService } from './webhooks/push-config.service.js';
export { PushCommitModule } from './push-commit.module.js';
export { EndpointsService } from './receivers/endpoints.service.js';
export { PushData } from './owners/push-data.js';
export type { TaskWebhook } from './registration/webhook.js';
export { TaskWebhooksService } from './webhooks/task-webhooks.service.js';
export type { WebhookProgress } from './webhooks/webhook-store.js';
export { PushModule } from './push.module.js';
