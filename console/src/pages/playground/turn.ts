import {
  type Artifact,
  type Message,
  routingOf,
  stateName,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '../../api/a2a';
import type { ApiProblem } from '../../api/problem';

/** What came of a message, in the order in which it came. */
export type TurnItem =
  | {
      readonly kind: 'status';
      readonly state: string;
      readonly message: Message | undefined;
      readonly at: string | undefined;
    }
  | { readonly kind: 'artifact'; readonly artifact: Artifact; readonly isWhole: boolean }
  | { readonly kind: 'message'; readonly message: Message };

/** A message that was sent, and what has come of it so far. */
export interface Turn {
  readonly id: number;
  readonly message: Message;
  /** To whom it went, in words. */
  readonly to: string;
  readonly at: number;
  readonly task: { readonly id: string; readonly contextId: string } | null;
  /** Of the task: `working`. */
  readonly state: string | null;
  /** The agents that the hub has chosen. */
  readonly agents: readonly string[];
  readonly items: readonly TurnItem[];
  readonly problem: ApiProblem | null;
  /** Whether something may still come by itself. */
  readonly isOpen: boolean;
}

/** The turn with what has come. `result` is an event of a stream, the answer of a send, or a task. */
export function withResult(turn: Turn, result: StreamResponse | Task): Turn {
  if ('status' in result) return withTask(turn, result);
  const { task, message, statusUpdate, artifactUpdate } = result;
  if (task) return withTask(turn, task);
  if (message) return { ...turn, items: [...turn.items, { kind: 'message', message }] };
  if (statusUpdate) {
    const { taskId, contextId, status } = statusUpdate;
    return withStatus({ ...turn, task: { id: taskId, contextId } }, status);
  }
  if (!artifactUpdate) return turn;
  const { taskId, contextId, artifact, append = false, lastChunk = false } = artifactUpdate;
  return withArtifact({ ...turn, task: { id: taskId, contextId } }, artifact, append, lastChunk);
}

function withTask(turn: Turn, { id, contextId, status, artifacts = [], metadata }: Task): Turn {
  const begun: Turn = {
    ...turn,
    task: { id, contextId },
    agents: agentsIn(metadata) ?? turn.agents,
  };
  const filled = artifacts.reduce(
    (each, artifact) => withArtifact(each, artifact, false, true),
    begun,
  );
  return withStatus(filled, status);
}

function withStatus(turn: Turn, { state, message, timestamp }: TaskStatus): Turn {
  const name = stateName(state);
  const last = turn.items.findLast((item) => item.kind === 'status');
  const isSaid = last?.message?.messageId === message?.messageId;
  if (last?.state === name && isSaid) return { ...turn, state: name };
  const item: TurnItem = {
    kind: 'status',
    state: name,
    message: isSaid ? undefined : message,
    at: timestamp,
  };
  return { ...turn, state: name, items: [...turn.items, item] };
}

function withArtifact(turn: Turn, artifact: Artifact, append: boolean, isWhole: boolean): Turn {
  const { items } = turn;
  const at = items.findIndex(
    (item) => item.kind === 'artifact' && item.artifact.artifactId === artifact.artifactId,
  );
  const before = items[at];
  if (before?.kind !== 'artifact') {
    return { ...turn, items: [...items, { kind: 'artifact', artifact, isWhole }] };
  }
  const parts = append
    ? [...(before.artifact.parts ?? []), ...(artifact.parts ?? [])]
    : artifact.parts;
  const next: TurnItem = {
    kind: 'artifact',
    artifact: { ...before.artifact, ...artifact, ...(parts && { parts }) },
    isWhole,
  };
  return { ...turn, items: items.with(at, next) };
}

function agentsIn(metadata: Task['metadata']): readonly string[] | undefined {
  const { agents } = routingOf(metadata) as {
    readonly agents?: readonly { readonly agentId: string }[];
  };
  return agents && [...new Set(agents.map(({ agentId }) => agentId))];
}
