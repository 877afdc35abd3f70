export { hubSkillId, splitSkillId } from './domain/agent-index.js';
export {
  activeExtensions,
  askedExtensions,
  extensionsRequired,
  missingExtensions,
} from './domain/extensions.js';
export type {
  Plan,
  PlanStep,
  StepCondition,
  StepInput,
  StepOutcome,
  StepStrategy,
} from './domain/plan.js';
export { type Candidate, planOf, type Route, type RouteReason } from './domain/route.js';
export type { CallContext, HubRequest, ProtocolVersion } from './hub-request.js';
export { RoutingModule } from './routing.module.js';
export { RoutingService, type Routable } from './routing.service.js';
