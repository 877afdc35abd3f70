export { PushConfigService } from './webhooks/push-config.service.js';
export { PushLanesModule } from './push-lanes.module.js';
export { PushModule } from './push.module.js';
