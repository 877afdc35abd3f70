export { PushConfigService } from './webhooks/push-config.service.js';
export { PushCommitModule } from './push-commit.module.js';
export { PushData } from './owners/push-data.js';
export { PushModule } from './push.module.js';
