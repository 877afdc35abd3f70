export type { Delivery, DeliveryAttempt, DeliveryState } from './delivery.js';
export { DeliveryService } from './delivery.service.js';
export { PushConfigService } from './push-config.service.js';
export { PushLanesModule } from './push-lanes.module.js';
export { PushModule } from './push.module.js';
