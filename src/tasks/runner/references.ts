import { EVERYTHING } from '../../auth/index.js';
import { Part, type Artifact } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { TaskLog } from '../log/task-log.js';
import type { Delegation } from '../task.js';
import type { RunContext } from './run-context.js';
import type { RunDeps, RunSettings } from './run-deps.js';

/** How much is attached to one message at most: characters of the parts as JSON. */
const MAX_ATTACHED = 1024 * 1024;
/** What a part that is attached has at least: it says what it belongs to. */
const LEAST = ROUTING_EXTENSION_URI.length;

/** For whom references are read, and where. */
interface Reader extends Pick<RunContext, 'agent'> {
  readonly deps: {
    readonly log: Pick<TaskLog, 'read' | 'withoutContents'>;
    readonly registry: Pick<RunDeps['registry'], 'registrationsOf'>;
    readonly settings: Pick<RunSettings, 'attachReferences'>;
  };
}

/** What an agent gets for the hub's tasks that a message refers to. */
interface References {
  /** Its own tasks for them. */
  readonly taskIds: readonly string[];
  /** With `tasks.attachReferences`, the artifacts of the others. */
  readonly parts: readonly Part[];
}

/**
 * The agent's own tasks for the hub's tasks that the client refers to, which are the client's own. For a task
 * that the agent has not worked on, the artifacts may be attached instead, each whole or not at all.
 */
export async function referencesFor(
  { deps, agent }: Reader,
  referenceTaskIds: readonly string[],
): Promise<References> {
  const taskIds: string[] = [];
  const parts: Part[] = [];
  if (referenceTaskIds.length === 0) return { taskIds, parts };
  let remaining = MAX_ATTACHED;
  const registrations = deps.registry.registrationsOf(agent).map((each) => each.getTime());
  const isTheirs = ({ agentId, agentSince }: Delegation): boolean =>
    agentId === agent.id && (agentSince === null || registrations.includes(agentSince.getTime()));
  for (const taskId of new Set(referenceTaskIds)) {
    const found = await deps.log.withoutContents(taskId, EVERYTHING);
    const theirs = (found?.delegations ?? [])
      .filter(isTheirs)
      .flatMap(({ downstreamTaskId }) => downstreamTaskId ?? []);
    taskIds.push(...theirs);
    if (theirs.length > 0 || !deps.settings.attachReferences || remaining < LEAST) continue;
    const related = await deps.log.read(taskId, EVERYTHING);
    for (const artifact of related?.task.artifacts ?? []) {
      const attached = partsOf(taskId, artifact);
      if (isLarger(attached, remaining)) continue;
      const size = JSON.stringify(attached.map((part) => Part.toJSON(part))).length;
      if (size > remaining) continue;
      remaining -= size;
      parts.push(...attached);
    }
  }
  return { taskIds, parts };
}

/** Whether parts have more than `limit` characters as JSON for certain; looks no further than that. */
function isLarger(parts: readonly Part[], limit: number): boolean {
  let rest = limit;
  return parts.some(({ content, metadata }) => {
    rest = leftOf(leftOf(rest, content?.value), metadata);
    return rest < 0;
  });
}

/** What is left of so many characters beside those that a value has at least as JSON. */
function leftOf(limit: number, value: unknown): number {
  if (typeof value === 'string') return limit - value.length;
  if (value instanceof Uint8Array) return limit - (value.byteLength * 4) / 3;
  if (typeof value !== 'object' || value === null) return limit - 1;
  let rest = limit;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i++) rest = leftOf(rest, value[i]);
    return rest;
  }
  for (const name of Object.keys(value)) {
    if (rest < 0) break;
    rest = leftOf(rest - name.length, (value as Record<string, unknown>)[name]);
  }
  return rest;
}

/** Tells the agent what each part belongs to; whatever else is said of it stays. */
function partsOf(referenceTaskId: string, { artifactId, name, parts }: Artifact): Part[] {
  const source = { referenceTaskId, artifactId, ...(name && { name }) };
  return parts.map((part) => ({
    ...part,
    metadata: { ...part.metadata, [ROUTING_EXTENSION_URI]: source },
  }));
}
