export type { UsedUp } from './domain/used-up.js';
export { checkDeclaredRouting } from './check-declared.js';
export { offeredComposites } from './composites/domain/offered.js';
export { hubSkillId, splitSkillId } from './domain/agent-index.js';
export { maxCallsOf } from './domain/call-limit.js';
export {
  activeExtensions,
  requestedExtensions,
  extensionsRequired,
  missingExtensions,
} from './domain/extensions.js';
export type { Plan, PlanStep, StepCondition, StepInput, StepOutcome } from './domain/plan.js';
export {
  type Candidate,
  planOf,
  type Route,
  type RouteReason,
  withoutExcluded,
} from './domain/route.js';
export type { StepPolicy } from './domain/strategy/step-policy.js';
export { policyOf, type StepStrategy, stepStrategyOf } from './domain/strategy/step-policies.js';
export { COMPOSITE_AGENT_ID, type CompositeSkill } from './domain/composite-skill.js';
export { CompositeSource, prepareUsable } from './composite-source.js';
export type { HubRequest, Retry } from './hub-request.js';
export { RuleNames } from './rule-source.js';
export { RouteDto } from './route.dto.js';
export { RoutingModule } from './routing.module.js';
export { RoutingService, type Routable } from './routing.service.js';
