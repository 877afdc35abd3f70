import { EVERYTHING } from '../../auth/index.js';
import { Part, type Artifact } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { Delegation } from '../task.js';
import type { RunContext } from './run-context.js';

/** How much is attached to one message at most: characters of the parts as JSON. */
const MAX_ATTACHED = 1024 * 1024;

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
  { deps, agent }: Pick<RunContext, 'deps' | 'agent'>,
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
    const related = await deps.log.read(taskId, EVERYTHING);
    const theirs = (related?.delegations ?? [])
      .filter(isTheirs)
      .flatMap(({ downstreamTaskId }) => downstreamTaskId ?? []);
    taskIds.push(...theirs);
    if (theirs.length > 0 || !deps.settings.attachReferences) continue;
    for (const artifact of related?.task.artifacts ?? []) {
      const attached = partsOf(taskId, artifact);
      const size = JSON.stringify(attached.map((part) => Part.toJSON(part))).length;
      if (size > remaining) continue;
      remaining -= size;
      parts.push(...attached);
    }
  }
  return { taskIds, parts };
}

/** Tells the agent what each part belongs to; whatever else is said of it stays. */
function partsOf(referenceTaskId: string, { artifactId, name, parts }: Artifact): Part[] {
  const source = { referenceTaskId, artifactId, ...(name && { name }) };
  return parts.map((part) => ({
    ...part,
    metadata: { ...part.metadata, [ROUTING_EXTENSION_URI]: source },
  }));
}
