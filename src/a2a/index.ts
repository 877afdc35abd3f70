export { A2aModule } from './a2a.module.js';
export { CallAdmission } from './call-admission.js';
export { HttpBindings } from './http/http-bindings.js';
export { readBody } from './http/read-request-body.js';
export type { AnswerReservation } from './limits/answer-budget.js';
export type { MessageLimits } from './limits/message-limits.js';
export { RequestCapacity } from './limits/request-capacity.js';
