import { EVERYTHING } from '../../../src/auth/index.js';
import {
  Artifact,
  StreamResponse,
  Task,
  TaskState,
  type Message,
} from '../../../src/protocol/a2a.js';
import { applyEvent, emptyTask } from '../../../src/protocol/task-reducer.js';
import { isTerminal } from '../../../src/protocol/task-state.js';
import { MAX_RESENDS } from '../../../src/tasks/domain/decide-resend.js';
import { isEnded, taskStateOf } from '../../../src/tasks/domain/delegation-state.js';
import type { Delegation, TaskAggregate, TaskEvent } from '../../../src/tasks/task.js';
import type { SimClientOfHub } from './sim-client.js';
import type { Outcome, Scenario } from './simulation.js';

/** Tries of one sending at an agent that cannot be reached, beside the resends. */
const MAX_SENDS = 1 + MAX_RESENDS;

/** Everything that is wrong with what has come of a scenario. */
export async function complaintsAbout(outcome: Outcome): Promise<string[]> {
  const complaints: string[] = [];
  if (outcome.stuck !== undefined) complaints.push(outcome.stuck);
  const { database, tempers } = outcome.scenario;
  const isFaultless = database.away === 0 && tempers.every(({ script }) => script.unstorable === 0);
  const errors = isFaultless ? outcome.errors : [];
  for (const error of errors) complaints.push(`logged as an error: ${describe(error)}`);
  for (const client of outcome.clients) {
    const about = await complaintsOf(client, outcome);
    complaints.push(...about.map((each) => `${client.plan.name}: ${each}`));
  }
  complaints.push(...sentTooOften(outcome));
  return complaints;
}

async function complaintsOf(client: SimClientOfHub, outcome: Outcome): Promise<string[]> {
  const { hub } = outcome;
  const { taskId, ended } = client;
  if (taskId === undefined) return ['has no task'];
  const stored = await hub.store.open(taskId);
  const known = await hub.log.read(taskId, EVERYTHING);
  if (!stored || !known) return ['its task is gone'];
  const { aggregate } = stored;
  const events = await hub.log.events(taskId, 0, 1_000_000);
  const { task, delegations } = aggregate;
  return [
    ...logComplaints(aggregate, events),
    ...differences('what the log holds', rebuilt(taskId, events), 'GetTask', task),
    ...differences('GetTask from memory', known.task, 'GetTask', task),
    ...(ended ? differences('GetTask at its end', ended, 'GetTask', task) : []),
    ...streamComplaints(client, events),
    ...delegations.flatMap((each) => delegationComplaints(each, aggregate, outcome)),
    ...unexplainedArtifacts(aggregate),
  ];
}

function logComplaints({ record, delegations }: TaskAggregate, events: TaskEvent[]): string[] {
  const complaints: string[] = [];
  const seqs = events.map(({ seq }) => seq);
  if (seqs.some((seq, index) => seq !== index + 1))
    complaints.push(`its log has gaps: ${seqs.join(' ')}`);
  if (record.seq !== seqs.length) complaints.push(`seq ${record.seq} of ${seqs.length} events`);
  const ends = events.filter(isEnd);
  if (ends.length !== 1 || ends[0] !== events.at(-1)) {
    complaints.push(`its log ends ${ends.length} times`);
  }
  for (const { id, state } of delegations) {
    if (!isEnded(state)) complaints.push(`delegation ${id} is ${state}`);
  }
  return complaints;
}

function isEnd({ kind, body }: TaskEvent): boolean {
  const { payload } = StreamResponse.fromJSON(JSON.parse(body));
  return (
    kind === 'status' &&
    payload?.$case === 'statusUpdate' &&
    isTerminal(payload.value.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED)
  );
}

/** The task as its events alone make it. */
function rebuilt(taskId: string, events: readonly TaskEvent[]): Task {
  let task = emptyTask(taskId, '');
  for (const { kind, body } of events) {
    const { payload } = StreamResponse.fromJSON(JSON.parse(body));
    if (payload) task = applyEvent(task, payload, kind);
  }
  return task;
}

/** Every event that was ever shown is in the log, and all that is shown has been seen, in order. */
function streamComplaints({ seen }: SimClientOfHub, events: readonly TaskEvent[]): string[] {
  const shown = events.filter(({ kind }) => ['task', 'status', 'artifact'].includes(kind));
  const asLogged = shown.map(({ seq, body }) => `${seq} ${body}`);
  const asSeen = seen.map(({ seq, body }) => `${seq} ${body as string}`);
  const at = asLogged.findIndex((each, index) => each !== asSeen[index]);
  if (at < 0 && asSeen.length === asLogged.length) return [];
  return [`its stream differs from the log: ${asSeen.at(at)} for ${asLogged.at(at)}`];
}

/** What a delegation gave is what its agent's task holds. */
function delegationComplaints(
  delegation: Delegation,
  aggregate: TaskAggregate,
  { agents, scenario }: Outcome,
): string[] {
  const { agentId, downstreamTaskId, state, reason, progress } = delegation;
  const agent = agents.get(agentId);
  if (!agent) return [`unknown agent ${agentId}`];
  const named = (complaint: string): string => `${agentId}: ${complaint}`;
  if (state === 'skipped') return [];
  const onHubsWord = isHubsWord(delegation, aggregate);
  if (onHubsWord) {
    const isCanceled = aggregate.record.cancelRequestedAt !== null || state === 'canceled';
    if (!isCanceled && !isExcuse(reason, scenario)) {
      return [named(`${state} on the hub's word: ${reason}`)];
    }
    return [];
  }
  const counts = aggregate.record.plan[delegation.step]?.isResult === true;
  if (downstreamTaskId === null) {
    const replies = [...agent.replies.values()].flat();
    return counts && !replies.some((reply) => isGiven(reply, aggregate, progress.artifacts))
      ? [named(`${state} without a task, and its reply is not there: ${reason}`)]
      : [];
  }
  const truth = agent.tasks.get(downstreamTaskId)?.task;
  if (!truth) return [named(`has no task ${downstreamTaskId}`)];
  const complaints: string[] = [];
  const theirs = truth.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
  if (taskStateOf(state) !== theirs) {
    complaints.push(`${state}, but ${downstreamTaskId} is ${TaskState[theirs]}`);
  }
  if (counts || progress.artifacts.length !== truth.artifacts.length) {
    const given = new Map(aggregate.task.artifacts.map((each) => [each.artifactId, each]));
    const lost = scenarioHides(delegation, aggregate);
    const ours = progress.artifacts.map(({ id, theirs: artifactId }) => ({
      ...(given.get(id) ?? emptyArtifact(lost ? 'held' : 'missing')),
      artifactId,
    }));
    if (!lost) complaints.push(...artifactDifferences(ours, truth.artifacts));
  }
  return complaints.map(named);
}

/** What a delegation gave does not show: it lost a race, or did not finish one. */
function scenarioHides({ step, state }: Delegation, { record }: TaskAggregate): boolean {
  const { strategy, chosen, isResult } = record.plan[step]!;
  const isRace = strategy === 'first' && chosen.length > 1;
  return !isResult || (isRace && state !== 'completed');
}

/** Whether the hub itself has ended the delegation, rather than its agent. */
function isHubsWord(
  { state, reason, downstreamTaskId }: Delegation,
  { record }: TaskAggregate,
): boolean {
  if (state === 'completed' || state === 'rejected') return false;
  if (reason !== null && AGENTS_WORDS.test(reason)) return false;
  if (state === 'canceled') return true;
  return reason !== null || (downstreamTaskId === null && record.cancelRequestedAt !== null);
}

const AGENTS_WORDS = /^That is all\.$/;

/** Reasons for which the hub may give up, by what goes wrong in a scenario. */
function isExcuse(reason: string | null, { isTroubleFree, tempers }: Scenario): boolean {
  const why = reason ?? '';
  if (/whether .* is unknown/.test(why)) return true;
  // A further message may find a task that its agent has ended meanwhile.
  if (/refused the request/.test(why)) return tempers.some(({ script }) => script.asks > 0);
  const mayBeUnstorable = tempers.some(({ script }) => script.unstorable > 0);
  if (mayBeUnstorable && /could not be stored|The hub failed/.test(why)) return true;
  return !isTroubleFree && /could not be reached|No agent took|broke off|said nothing/.test(why);
}

function isGiven(
  reply: Message,
  { task }: TaskAggregate,
  [first]: Delegation['progress']['artifacts'],
): boolean {
  const artifact = task.artifacts.find(({ artifactId }) => artifactId === first?.id);
  return artifact !== undefined && texts(artifact) === texts(reply);
}

/** The task has no artifact that none of its delegations gave. */
function unexplainedArtifacts({ task, delegations }: TaskAggregate): string[] {
  const given = new Set(
    delegations.flatMap(({ progress }) => progress.artifacts.map(({ id }) => id)),
  );
  return task.artifacts
    .filter(({ artifactId }) => !given.has(artifactId))
    .map(({ artifactId }) => `nobody gave artifact ${artifactId}`);
}

function artifactDifferences(ours: readonly Artifact[], theirs: readonly Artifact[]): string[] {
  const line = (artifacts: readonly Artifact[]): string =>
    artifacts.map((each) => `${each.artifactId}[${texts(each)}]`).join(' ');
  return line(ours) === line(theirs)
    ? []
    : [`the hub has ${line(ours)}, the agent ${line(theirs)}`];
}

function emptyArtifact(name: string): Artifact {
  return Artifact.fromJSON({ artifactId: '', name, parts: [{ text: name }] });
}

function texts({ parts }: Pick<Artifact, 'parts'>): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '?')).join(' ');
}

function differences(whose: string, one: Task, other: string, task: Task): string[] {
  const json = (each: Task): string => JSON.stringify(Task.toJSON({ ...each, contextId: '' }));
  return json(one) === json(task)
    ? []
    : [`${whose} differs from ${other}: ${json(one)} for ${json(task)}`];
}

/** No agent gets a message more often than it may be sent. */
function sentTooOften({ agents, scenario }: Outcome): string[] {
  const allowed = scenario.resend === 'again' ? MAX_SENDS : 1;
  return [...agents.values()].flatMap((agent) => {
    const times = new Map<string, number>();
    for (const message of agent.received) {
      const isFirst = message.taskId === '';
      const key = `${isFirst ? '' : 'further '}${message.messageId}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    return [...times]
      .filter(([key, count]) => count > (key.startsWith('further ') ? MAX_SENDS : allowed))
      .map(([key, count]) => `${agent.id} got "${key}" ${count} times`);
  });
}

function describe(error: object): string {
  const { fields, message } = error as { fields: { err?: Error }; message: string };
  return `${message} ${fields.err?.stack ?? JSON.stringify(fields)}`;
}
