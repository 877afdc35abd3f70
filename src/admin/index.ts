export { AdminAnswers } from './admin-answers.js';
export { BusyAnswers } from './busy-answers.js';
export { AdminBodies } from './admin-bodies.js';
export { AdminModule } from './admin.module.js';
export { AdminRates } from './admin-rates.js';
export { AuditedChanges } from './audited-changes.js';
