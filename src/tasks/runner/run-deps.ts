import type {
  Agent,
  AgentBudgets,
  AgentClient,
  AgentHealth,
  AgentQuirks,
} from '../../agents/index.js';
import type { Principal } from '../../auth/index.js';
import type { Clock } from '../../common/clock.js';
import type { IdSource } from '../../common/ids.js';
import type { Log } from '../../common/logger.js';
import type { AgentFarewell } from '../cancel/agent-farewell.js';
import type { AgentCallbacks } from '../callbacks/agent-callbacks.js';
import type { ContextStore } from '../context-store.js';
import type { TaskLog } from '../task-log.js';
import type { DownstreamTasks } from '../task-store.js';
import type { Farewells } from './farewells.js';

/** The settings a run needs (`agents.*` and `tasks.*` of the configuration). */
export interface RunSettings {
  /** For agents without budgets of their own. */
  readonly budgets: AgentBudgets;
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** What to do with a message that may or may not have reached its agent. */
  readonly resend: 'fail' | 'again';
  /** Whether an agent gets the artifacts of referenced tasks that it does not have. */
  readonly attachReferences: boolean;
}

/** What the runs of one process share. */
export interface RunDeps {
  readonly log: TaskLog;
  readonly contexts: ContextStore;
  /** Which of the agents' tasks are whose. */
  readonly downstream: DownstreamTasks;
  readonly client: AgentClient;
  readonly callbacks: AgentCallbacks;
  readonly farewell: AgentFarewell;
  /** So many more calls for an agent wait for a connection, or less. */
  readonly connecting: (agentId: string, by: 1 | -1) => void;
  readonly farewells: Pick<Farewells, 'hasRoom' | 'enter' | 'leave'>;
  readonly health: Pick<AgentHealth, 'admit' | 'taskEnded'>;
  readonly quirks: Pick<AgentQuirks, 'note'>;
  /** Also one that is deleted: it may be asked about what it works on, but gets no message. */
  readonly agent: (id: string) => Agent | undefined;
  /** Whether those of an organization may use an agent. */
  readonly mayUse: (by: Pick<Principal, 'organization'>, agent: Agent) => boolean;
  /** Reads the registry again: an agent that is not known here may be new in another process. */
  readonly renewAgents: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Log;
  /** The owner of what runs here, and how long a lease is. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly settings: RunSettings;
  /** This hub's own id, for `A2A-Hub-Hops`. */
  readonly instanceId: string;
}
