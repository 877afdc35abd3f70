export { PushConfigService } from './webhooks/push-config.service.js';
export { PushCommitModule } from './push-commit.module.js';
export { PushModule } from './push.module.js';
