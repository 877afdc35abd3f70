import type { AgentCard } from '@a2a-js/sdk';
import type { AgentTurn } from './agent-turn.js';
import type { JsonObject } from './json.js';

export type AgentBinding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
export type AgentVersion = '1.0' | '0.3' | 'both';

/** One operation as the agent's server understood it. */
export interface AskedOperation {
  /** As the SDK names it: `sendMessage`, `resubscribe`. */
  readonly operation: string;
  /** The `Authorization` that it came with; empty without one, and of an agent that knows no users. */
  readonly user: string;
  readonly params: unknown;
}

/** A running agent as a test sees it. */
export interface RunningAgent {
  /** Where its card is found (origin). */
  readonly url: string;
  readonly port: number;
  /** JSON-RPC bodies it got, oldest first. */
  readonly calls: {
    readonly method: string;
    readonly body: JsonObject;
    readonly headers: NodeJS.Dict<string | string[]>;
  }[];
  /** What was asked of it over any binding, oldest first. */
  readonly asked: AskedOperation[];
  /** Turns of the executor so far. */
  readonly turns: AgentTurn[];
  /** From now on it knows none of its tasks. */
  forget(): void;
  close(): Promise<void>;
}

export interface SdkAgentOptions {
  readonly name?: string;
  /** `1.0` (default), `0.3` (speaks and shows 0.3 only), or `both`. */
  readonly version?: AgentVersion;
  /** The bindings it speaks, in the card's order; default JSON-RPC alone. */
  readonly binding?: AgentBinding | readonly AgentBinding[];
  readonly streaming?: boolean;
  /** Who calls is whoever the `Authorization` names, and knows nothing of the tasks of others. */
  readonly hasUsers?: boolean;
  readonly skills?: readonly { id: string; name?: string; tags?: string[]; description?: string }[];
  /** What the agent does with a message; default: answers with an artifact that echoes the text. */
  readonly execute?: (turn: AgentTurn) => Promise<void> | void;
  readonly card?: Partial<AgentCard>;
}
