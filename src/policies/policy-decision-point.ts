import type { Principal } from '../auth/index.js';
import type { HubOperation } from './domain/policy.js';
import type { CallerRules } from './caller-rules.js';

/** Decides who may ask which agent for what, by the policies there are. */
export abstract class PolicyDecisionPoint {
  /**
   * The rules for a caller, the same object for all callers that are alike until the policies change; null: no policy
   * says anything to it, so it may use whatever is open to its organization.
   */
  abstract rulesFor(caller: Principal): CallerRules | null;

  /** Throws PERMISSION_DENIED when a policy forbids an operation of the hub to this caller. */
  abstract refuseOperation(caller: Principal, operation: HubOperation): void;
}
