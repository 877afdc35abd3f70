export { A2aModule } from './a2a.module.js';
export { AdminAnswers } from './http/admin-answers.js';
export { AdminBodies } from './http/admin-bodies.js';
export { HttpBindings } from './http/http-bindings.js';
