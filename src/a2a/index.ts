export { A2aModule } from './a2a.module.js';
export { AdminAnswers } from './http/admin-answers.js';
export { AdminBodies } from './http/admin-bodies.js';
export { HttpDoors } from './http/http-doors.js';
