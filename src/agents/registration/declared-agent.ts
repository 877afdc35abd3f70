import type { FieldViolation } from '../../common/hub-error.js';
import {
  type DeclaredEntry,
  readDeclared,
  readDuration,
  type ReadEntry,
} from '../../config/index.js';
import type { Agent } from '../agent.js';
import { type AgentMeans, readMeans } from './agent-source.js';
import { isAgentId, WRONG_ID } from '../card/agent-id.js';
import { DeclaredAgentDto } from '../request/declared-agent.dto.js';

/** The key of the configuration they stand under. */
const KEY = 'agents.declared';

/** An agent declared in the configuration; it is registered at start and cannot be changed by API. */
export interface DeclaredAgent
  extends
    AgentMeans,
    Pick<
      Agent,
      | 'id'
      | 'cardUrl'
      | 'endpointOverride'
      | 'pin'
      | 'tags'
      | 'priority'
      | 'weight'
      | 'maxConcurrent'
      | 'maxQueue'
      | 'enabled'
      | 'organizations'
      | 'budgets'
      | 'switches'
    > {
  /** Its card, as the agent would serve it; exactly one of this and `cardUrl` is set. */
  readonly card: Readonly<Record<string, unknown>> | null;
}

/** The declared agents, read as the API reads them; throws `ConfigError` with all that is wrong. */
export function readDeclaredAgents(
  written: readonly DeclaredEntry[],
): Promise<readonly DeclaredAgent[]> {
  return readDeclared(KEY, written, DeclaredAgentDto, readOne);
}

function readOne(
  dto: DeclaredAgentDto,
  before: readonly DeclaredAgent[],
): ReadEntry<DeclaredAgent> {
  const { id, cardUrl = null, card = null, budgets, switches } = dto;
  const faults: FieldViolation[] = [];
  const expect = (holds: boolean, field: string, description: string): void => {
    if (!holds) faults.push({ field, description });
  };
  expect(isAgentId(id), 'id', WRONG_ID);
  expect(!before.some((agent) => agent.id === id), 'id', 'is the id of an agent before it');
  const isOne = (cardUrl === null) !== (card === null);
  expect(isOne, 'cardUrl', 'must be given, or card, and not both');
  const means = { cardHeaders: dto.cardHeaders ?? {}, credentials: dto.headers ?? {} };
  const entry = {
    ...readMeans(
      { ...means, cardKeys: dto.cardKeys, authentication: dto.authentication },
      'headers',
      'configuration',
    ),
    id,
    cardUrl,
    card,
    endpointOverride: dto.endpoint ?? null,
    pin: {
      protocolBinding: dto.protocolBinding ?? null,
      protocolVersion: dto.protocolVersion ?? null,
    },
    tags: dto.tags ?? [],
    priority: dto.priority ?? 0,
    weight: dto.weight ?? 1,
    maxConcurrent: dto.maxConcurrent ?? null,
    maxQueue: dto.maxQueue ?? null,
    enabled: dto.enabled ?? true,
    organizations: dto.organizations ?? null,
    budgets: given({
      connectMs: readDuration(budgets?.connect),
      firstEventMs: readDuration(budgets?.firstEvent),
      idleMs: readDuration(budgets?.idle),
      totalMs: readDuration(budgets?.total),
      cancelWaitMs: readDuration(budgets?.cancelWait),
    }),
    switches: given({
      streaming: switches?.streaming,
      blocking: switches?.blocking,
      pollIntervalMs: readDuration(switches?.pollInterval),
      files: switches?.files,
      caller: switches?.caller,
    }),
  };
  return { entry, faults };
}

/** Without the members that are not given. */
function given<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present = Object.entries(members).filter(([, value]) => value != null);
  return Object.fromEntries(present) as { [K in keyof T]?: NonNullable<T[K]> };
}
