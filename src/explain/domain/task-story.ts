import { sentenceOf } from '../../common/sentence.js';
import { isTerminal, nameOfState } from '../../protocol/task-state.js';
import { TaskState } from '../../protocol/a2a.js';
import { planOf } from '../../routing/index.js';
import {
  cancelOf,
  type Delegation,
  isEnded,
  retryOf,
  type TaskAggregate,
  type TaskRecord,
} from '../../tasks/index.js';
import { delegationEntries, endText, type StoryReader, waitText } from './delegation-story.js';
import { routeSentences } from './route-story.js';
import type { Story, StoryEntry } from './story.js';
import { type FollowedWebhook, webhookEntry } from './webhook-story.js';
import { countOf, durationOf } from './words.js';

/** The story of a task, of what is stored. No content is in it, but the reason that an agent gives for its end. */
export function storyOf(
  aggregate: Pick<TaskAggregate, 'record' | 'delegations'>,
  webhooks: readonly FollowedWebhook[],
  reader: StoryReader,
): Story {
  const { record, delegations } = aggregate;
  const plan = planOf(record.route);
  const task = (at: Date, text: string): StoryEntry => ({ at, about: 'task', text });
  const isOver = isTerminal(record.state);
  const waitsFor = isOver ? null : waits(delegations, reader);
  const entries = [
    task(record.createdAt, beginning(aggregate, reader)),
    ...retryTexts(record, reader).map((text) => task(record.createdAt, text)),
    ...routeSentences(record.route, reader.seesTroubles).map((text): StoryEntry => ({
      at: record.createdAt,
      about: 'route',
      text,
    })),
    ...delegations.flatMap((each) => delegationEntries(each, plan, reader)),
    ...(record.cancelRequestedAt === null
      ? []
      : [task(record.cancelRequestedAt, `Its cancel began. ${cancelText(record)}`)]),
    ...webhooks.map(webhookEntry),
    ...(isOver ? [task(record.statusAt, `The task ended: ${nameOfState(record.state)}.`)] : []),
  ];
  return {
    summary: isOver ? `${ending(aggregate)}${retriedText(reader)}` : running(aggregate, reader),
    waitsFor,
    // Stable: what has the same time stays in the order of its causes.
    entries: entries.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
  };
}

function beginning(
  { record }: Pick<TaskAggregate, 'record'>,
  { names }: Pick<StoryReader, 'names'>,
): string {
  const { principalId, organization, chain, issuer } = record;
  const by = `${named(principalId, names)} of the organization ${organization}`;
  const how = issuer === null ? '' : `, signed in by ${issuer}`;
  const through = chain?.hub === undefined ? '' : `, through the hub ${chain.hub}`;
  return `The task was begun by ${by}${how}${through}.`;
}

function named(principalId: string, names: StoryReader['names']): string {
  const name = names.get(principalId);
  return name === undefined ? principalId : `${name} (${principalId})`;
}

/** Of a task that retries another one: which, and who wanted it. */
function retryTexts(
  { requestMetadata }: Pick<TaskRecord, 'requestMetadata'>,
  { names }: Pick<StoryReader, 'names'>,
): string[] {
  const retry = retryOf(requestMetadata);
  if (retry === undefined) return [];
  const by = named(retry.by.principalId, names);
  return [`It retries the task ${retry.taskId}, at the request of the operator ${by}.`];
}

function retriedText({ retriedAs }: Pick<StoryReader, 'retriedAs'>): string {
  return retriedAs === null ? '' : ` It was retried as the task ${retriedAs}.`;
}

/** Of the time that a task took, how long its one agent waited for the client; where several agents wait, they may do so at once. */
function waitedText(delegations: readonly Delegation[]): string {
  const [waits, ...others] = delegations.flatMap(({ progress }) => progress.times?.waits ?? []);
  return waits === undefined || others.length > 0
    ? ''
    : ` (${durationOf(waits.ms)} of it waiting for the client)`;
}

function ending({ record, delegations }: Pick<TaskAggregate, 'record' | 'delegations'>): string {
  const took = durationOf(record.statusAt.getTime() - record.createdAt.getTime());
  const end = `The task ${PAST.get(record.state) ?? nameOfState(record.state)} after ${took}${waitedText(delegations)}`;
  if (record.state === TaskState.TASK_STATE_COMPLETED) {
    const done = delegations.filter(({ state }) => state === 'completed');
    const agents = done.map(({ agentName, agentId }) => `${agentName} (${agentId})`);
    return `${end} by ${agents.join(', ') || 'no agent'}.`;
  }
  if (record.cancelRequestedAt !== null) {
    return `${end}. ${cancelText(record)}`;
  }
  const causes = delegations.filter(({ state }) => state !== 'completed' && state !== 'skipped');
  return `${end}. ${causes.map(endText).join(' ')}`.trim();
}

const PAST = new Map([
  [TaskState.TASK_STATE_COMPLETED, 'was completed'],
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'was canceled'],
  [TaskState.TASK_STATE_REJECTED, 'was rejected'],
]);

function running(
  { record, delegations }: Pick<TaskAggregate, 'record' | 'delegations'>,
  { now }: StoryReader,
): string {
  const age = durationOf(now.getTime() - record.createdAt.getTime());
  const ended = delegations.filter(({ state }) => isEnded(state)).length;
  const of =
    delegations.length === 1
      ? ''
      : `, ${ended} of ${countOf(delegations.length, 'part')} have ended`;
  return `The task is ${nameOfState(record.state)}, ${age} after it began${of}.`;
}

function waits(delegations: readonly Delegation[], reader: StoryReader): string {
  const texts = delegations.flatMap((each) => waitText(each, reader) ?? []);
  return texts.join(' ') || 'The hub is about to end it.';
}

function cancelText({ cancelMetadata }: TaskRecord): string {
  return sentenceOf(cancelOf(cancelMetadata).reason);
}
