export { A2aModule } from './a2a.module.js';
export { HttpDoors } from './http/http-doors.js';
