/** The hub's routing extension, declared in its card. Its data sits under this key of metadata. */
export const ROUTING_EXTENSION_URI = 'urn:a2a-hub:routing:v1';

export type RequirePolicy = 'all' | 'best-effort';
export type Strategy = 'one' | 'all';

/**
 * What a client may ask for under `metadata["urn:a2a-hub:routing:v1"]` of the message or the
 * request (the message's wins, member by member). The plain metadata keys `agentId`, `skillId` and
 * `skillTags` are understood too.
 */
export interface RoutingDirective {
  /** An agent's id in the registry. */
  readonly agentId?: string;
  /** `agentId.skillId` of the hub's card, or a skill id that agents share. */
  readonly skillId?: string;
  readonly tags?: readonly string[];
  /** Whether a skill must carry every tag (`all`, the default) or one of them (`any`). */
  readonly match?: 'all' | 'any';
  /** Default `one`. */
  readonly strategy?: Strategy;
  /** For `all`: whether every agent must complete (default) or one is enough. */
  readonly require?: RequirePolicy;
  /** For `all`: seconds until what is still running is canceled. */
  readonly deadlineSeconds?: number;
  /** For `all`: at most this many agents. */
  readonly maxAgents?: number;
  /** On a follow-up: the agent or delegation that is answered, when several wait. */
  readonly replyTo?: string;
  /** See `Idempotency-Key`. */
  readonly idempotencyKey?: string;
}
