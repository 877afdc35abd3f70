import { withMember } from '../../common/merged.js';
import type { IdSource } from '../../common/ids.js';
import { Role, type Artifact, type Message, type Part } from '../../protocol/a2a.js';
import type { TaskRef } from '../../protocol/build.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { Delegation } from '../task.js';

type Metadata = Readonly<Record<string, unknown>> | undefined;

/** Which agent something comes from, as clients see it under the extension's URI. */
export interface Origin {
  readonly agentId: string;
  readonly skillId?: string;
  readonly delegationId: string;
  /** The step of the plan, when it has several. */
  readonly step?: string;
}

export function originOf(delegation: Delegation): Origin {
  return {
    agentId: delegation.agentId,
    ...(delegation.skillId !== null && { skillId: delegation.skillId }),
    delegationId: delegation.id,
  };
}

/** Metadata without what only this hub says; undefined when nothing else was in it. */
export function withoutHubKeys(metadata: Metadata): Record<string, unknown> | undefined {
  if (!metadata) return undefined;
  const rest = { ...metadata };
  if (!Object.hasOwn(rest, ROUTING_EXTENSION_URI)) return rest;
  delete rest[ROUTING_EXTENSION_URI];
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** The agent's metadata with what the hub adds under the extension's URI. */
export function withHubData(metadata: Metadata, data: object): Record<string, unknown> {
  return withMember(metadata, ROUTING_EXTENSION_URI, data);
}

/** Parts that hold something: an empty or unknown kind of part breaks clients. */
export function realParts(parts: readonly Part[]): Part[] {
  return parts.filter((part) => part.content !== undefined);
}

/**
 * An agent's message as the hub's own: the hub's task and context, no downstream id, no hub key of
 * another sender. Everything else stays as the agent said it.
 */
export function ownMessage(
  message: Message,
  ref: TaskRef,
  delegation: Delegation,
  ids: IdSource,
): Message {
  return {
    ...message,
    messageId: message.messageId || ids.next(),
    taskId: ref.taskId,
    contextId: ref.contextId,
    role: message.role === Role.ROLE_USER ? Role.ROLE_USER : Role.ROLE_AGENT,
    parts: realParts(message.parts),
    metadata: withoutHubKeys(message.metadata),
    referenceTaskIds: message.referenceTaskIds
      .filter((id) => id === delegation.downstreamTaskId)
      .map(() => ref.taskId),
  };
}

/**
 * The id of a message of this delegation in the hub's task: the agent's own when it is the only
 * delegation, else unique among theirs.
 */
export function ownMessageId(
  messageId: string,
  delegation: Delegation,
  delegations: readonly Delegation[],
): string {
  return messageId && prefixOf(delegation, delegations) + messageId;
}

/** What makes ids of one delegation differ from those of the others; nothing when there is no other. */
function prefixOf({ agentId, position }: Delegation, delegations: readonly Delegation[]): string {
  if (delegations.length <= 1) return '';
  const twice = delegations.filter((each) => each.agentId === agentId).length > 1;
  return twice ? `${agentId}.${position}.` : `${agentId}.`;
}

/** An agent's artifact under the hub's id; the first event of each says where it comes from. */
export function ownArtifact(artifact: Artifact, artifactId: string, origin?: Origin): Artifact {
  const metadata = withoutHubKeys(artifact.metadata);
  return {
    ...artifact,
    artifactId,
    parts: realParts(artifact.parts),
    metadata: origin ? withHubData(metadata, origin) : metadata,
  };
}

/**
 * The hub's id for an artifact this delegation has not given before, unique in the task: the agent's
 * own on a route of one agent, else `agentId.artifactId`, with the delegation's position in between when
 * the agent has two delegations.
 */
export function newArtifactId(
  artifactId: string,
  delegation: Delegation,
  delegations: readonly Delegation[],
): string {
  const isTaken = (id: string): boolean =>
    delegations.some(({ progress }) => progress.artifacts.some((each) => each.id === id));
  const wanted = prefixOf(delegation, delegations) + (artifactId || 'artifact');
  let id = wanted;
  for (let n = 2; isTaken(id); n++) id = `${wanted}-${n}`;
  return id;
}

/** What the hub has said in an agent's message or artifact of where it comes from. */
export function saidIn({ metadata }: { readonly metadata: Metadata }): {
  readonly delegationId?: unknown;
  readonly state?: unknown;
} {
  const data: unknown = metadata?.[ROUTING_EXTENSION_URI];
  return typeof data === 'object' && data !== null ? data : {};
}

/** The id of a message that the hub itself says: it follows from its number in the log. */
export function hubMessageId(taskId: string, seq: number): string {
  return `${taskId}-${seq}`;
}

/** Whether the hub itself has said a message of its task, rather than an agent or the client. */
export function isHubMessage(taskId: string, { messageId }: Pick<Message, 'messageId'>): boolean {
  return messageId.startsWith(`${taskId}-`);
}
