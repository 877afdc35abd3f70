import type { AgentCard } from '../protocol/a2a.js';

/** Milliseconds a delegation to this agent may take at each step; the defaults are configuration. */
export interface AgentBudgets {
  readonly connectMs: number;
  /** From sending the message to the first event or answer. */
  readonly firstEventMs: number;
  /** Between two events of a running task. */
  readonly idleMs: number;
  /** From first send to the end. */
  readonly totalMs: number;
  /** How long a cancel waits for the agent's answer. */
  readonly cancelWaitMs: number;
}

/** The one interface of the card that the hub calls. */
export interface AgentEndpoint {
  readonly url: string;
  readonly protocolBinding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  /** `1.0` or `0.3` (a 0.2.x card is spoken to in the 0.3 dialect). */
  readonly protocolVersion: '1.0' | '0.3';
  /** The `tenant` its interface asks for; empty when none (A2A §8.3.2). */
  readonly tenant: string;
}

/** A downstream A2A agent in the registry. */
export interface Agent {
  /** `[a-z0-9-]{1,63}`; never `agents`, `tasks`, `v1` or `extensions`. */
  readonly id: string;
  /** The card in the canonical 1.0 model. */
  readonly card: AgentCard;
  /** The card as it was read, byte for byte (its own version's shape). */
  readonly originalCard: string;
  /** Where the card was read; null when it was given in the request. */
  readonly cardUrl: string | null;
  /** Headers sent when the card is read again (secret values; never shown). */
  readonly cardHeaders: Readonly<Record<string, string>>;
  /** What the hub calls: the operator's override, else the best interface of the card. */
  readonly endpoint: AgentEndpoint;
  /** The operator's endpoint URL, if set; it wins over the card. */
  readonly endpointOverride: string | null;
  /** Headers sent with every call to the agent (its credentials; never shown). */
  readonly credentials: Readonly<Record<string, string>>;
  /** The operator's tags; skill tags come from the card. */
  readonly tags: readonly string[];
  /** Higher is tried first; default 0. */
  readonly priority: number;
  /** False: no new work; what is open goes on. */
  readonly enabled: boolean;
  /** Overrides of the default budgets. */
  readonly budgets: Partial<AgentBudgets>;
  /** `api`, or `config` for one declared in YAML. */
  readonly source: 'api' | 'config';
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /**
   * Since when the agent is deleted; null while it is registered. A deleted one gets no new message;
   * what it still works on can be polled and canceled.
   */
  readonly deletedAt: Date | null;
}

/** Ids no agent may have: they are path segments below `/a2a`. */
export const RESERVED_AGENT_IDS = ['agents', 'tasks', 'v1', 'extensions'] as const;
