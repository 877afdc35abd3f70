export { offeredComposites } from './composites/domain/offered.js';
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
export {
  COMPOSITE_AGENT_ID,
  type CompositeSkill,
  CompositeSource,
} from './domain/route-extensions.js';
export type { CallContext, HubRequest, ProtocolVersion } from './hub-request.js';
export { RouteDto } from './route.dto.js';
export { RoutingModule } from './routing.module.js';
export { RoutingService, type Routable } from './routing.service.js';
