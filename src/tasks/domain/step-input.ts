import type { Message, Part } from '../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import type { PlanStep } from '../../routing/index.js';
import type { Delegation, TaskAggregate } from '../task.js';
import { finishedArtifacts, thatCount } from './held-artifacts.js';
import { isHubMessage, saidIn } from './own-ids.js';
import { unnamedParts } from './wording.js';

/**
 * The message a delegation begins with: the client's own, as it came, unless its step works on what
 * earlier steps gave. Then its parts are those of the step's inputs, in their order, and its id is the
 * delegation's, for it is another message. Where the inputs are empty, the client's parts are
 * used: A2A allows no empty message.
 */
export function firstMessage(
  aggregate: TaskAggregate,
  delegation: Delegation,
  message: Message,
): Message {
  const { plan } = aggregate.record;
  const inputs = plan[delegation.step]?.inputs ?? [];
  if (inputs.every(({ from }) => from === 'message')) return message;
  const parts = inputs.flatMap((input) => {
    if (input.from === 'message') return message.parts;
    const index = plan.findIndex(({ name }) => name === input.step);
    const step = plan[index];
    return step ? partsOf(aggregate, step, index) : [];
  });
  return {
    ...message,
    messageId: delegation.id,
    parts: parts.length > 0 ? parts : message.parts,
  };
}

/**
 * What a step gave: the parts of its finished artifacts, in the order of its delegations and of each
 * one's artifacts. Of an agent that completed without an artifact, what it said last.
 */
function partsOf(aggregate: TaskAggregate, step: PlanStep, index: number): Part[] {
  const delegations = aggregate.delegations.filter((each) => each.step === index);
  return thatCount(step, delegations).flatMap((each) => {
    const artifacts = finishedArtifacts(aggregate, each);
    const source = { agentId: each.agentId, step: step.name };
    if (artifacts.length === 0 && each.state === 'completed') {
      return lastWords(aggregate, each).map((part) => withSource(part, source));
    }
    return artifacts.flatMap(({ parts, artifactId, name }) => {
      const from = { ...source, artifactId, ...(name && { name }) };
      return parts.map((part) => withSource(part, from));
    });
  });
}

/** Tells the next agent whose work a part is; whatever else is said of the part stays. */
function withSource(part: Part, source: object): Part {
  return { ...part, metadata: { ...part.metadata, [ROUTING_EXTENSION_URI]: source } };
}

/** As the agent said them: the task shows them with its name. */
function lastWords({ task }: TaskAggregate, { id, agentName }: Delegation): readonly Part[] {
  const said = [...task.history, ...(task.status?.message ? [task.status.message] : [])];
  const last = said.findLast((message) => {
    const { delegationId, state } = saidIn(message);
    const isIts = delegationId === id && state === 'completed';
    return isIts && !isHubMessage(task.id, message);
  });
  return unnamedParts(agentName, last?.parts ?? []);
}
