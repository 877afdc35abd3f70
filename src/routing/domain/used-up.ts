import type { HubError } from '../../common/hub-error.js';

/** An agent, or one skill of it, whose limit is used up, and the refusal that says so. */
export interface UsedUp {
  readonly agentId: string;
  readonly skillId?: string;
  readonly refusal: HubError;
}
