import { stateName, type StreamResponse } from '../../../api/a2a';
import type { Schema } from '../../../api/client';
import { durationText } from '../../../ui/time';
import type { TaskDetail, TaskEvent } from '../detail/task-query';
import { isEnded, isWaiting } from '../../../api/task-state';

export type SegmentKind =
  | 'queued'
  | 'sending'
  | 'working'
  | 'waiting'
  | 'failed'
  | 'delivered'
  /** Its events are not loaded. */
  | 'unknown';

const NOT_LOADED = 'not loaded';

/** A stretch of time of one row, in milliseconds since 1970. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** Something at one time. */
export interface Tick {
  readonly kind: 'status' | 'artifact' | 'message' | 'attempt';
  readonly at: number;
  readonly label: string;
}

export interface TimelineRow {
  readonly id: string;
  readonly name: string;
  readonly detail: string | null;
  readonly state: string;
  readonly segments: readonly Segment[];
  readonly ticks: readonly Tick[];
  /** What the bar shows, in words. */
  readonly words: string;
  /** Agents that were tried before, and why they did not take it. */
  readonly attempts: readonly string[];
}

type Delegation = Schema<'DelegationDto'>;

interface Stretch {
  readonly kind: SegmentKind;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** When the task had which state, as far as its events are loaded: what was before them is not known. */
function stretchesOfTask(
  task: TaskDetail,
  events: readonly TaskEvent[],
  end: number,
): readonly Stretch[] {
  const hasEarlier = (events[0]?.seq ?? 1) > 1;
  const changes: { at: number; state: string }[] = [
    { at: Date.parse(task.createdAt), state: hasEarlier ? NOT_LOADED : 'submitted' },
  ];
  for (const { at, body } of events) {
    const state = (body as StreamResponse).statusUpdate?.status.state;
    const name = state === undefined ? undefined : stateName(state);
    if (name !== undefined && name !== changes.at(-1)!.state) {
      changes.push({ at: Date.parse(at), state: name });
    }
  }
  if (changes.at(-1)!.state === NOT_LOADED && !isEnded(task.state)) {
    changes.push({ at: Date.parse(task.statusAt), state: task.state });
  }
  return changes.flatMap(({ at, state }, index) =>
    isEnded(state)
      ? []
      : [{ kind: kindOf(state), name: state, from: at, to: changes[index + 1]?.at ?? end }],
  );
}

function kindOf(state: string): SegmentKind {
  if (state === NOT_LOADED) return 'unknown';
  if (isWaiting(state)) return 'waiting';
  return state === 'submitted' ? 'queued' : 'working';
}

/** The task itself: its states, and what its log has. */
export function taskRow(task: TaskDetail, events: readonly TaskEvent[], now: number): TimelineRow {
  const end = isEnded(task.state) ? Date.parse(task.statusAt) : now;
  const stretches = stretchesOfTask(task, events, end);
  return {
    id: 'task',
    name: 'Task',
    detail: null,
    state: task.state,
    segments: stretches.map(segmentOf),
    ticks: events.flatMap(tickOf),
    words: wordsOf(stretches),
    attempts: [],
  };
}

function tickOf({ kind, at, seq, body }: TaskEvent): readonly Tick[] {
  const { artifactUpdate, statusUpdate } = body as StreamResponse;
  const time = Date.parse(at);
  if (artifactUpdate) {
    const name = artifactUpdate.artifact.name || artifactUpdate.artifact.artifactId;
    return [{ kind: 'artifact', at: time, label: `Artifact ${name} (event ${seq})` }];
  }
  if (statusUpdate) {
    const state = stateName(statusUpdate.status.state);
    return [{ kind: 'status', at: time, label: `${state} (event ${seq})` }];
  }
  return kind === 'message' || kind === 'reply'
    ? [{ kind: 'message', at: time, label: `Message (event ${seq})` }]
    : [];
}

/** One agent's part: how long it waited in the queue, was sent, worked, and waited for the client. */
export function delegationRow(
  delegation: Delegation,
  task: TaskDetail,
  events: readonly TaskEvent[],
  now: number,
): TimelineRow {
  const end = timeOf(delegation.endedAt) ?? now;
  const queued = timeOf(delegation.queuedAt);
  const sent = timeOf(delegation.sentAt);
  const answered = timeOf(delegation.answeredAt);
  const stretches: Stretch[] = [];
  const add = (kind: SegmentKind, name: string, from: number, to: number) => {
    if (to >= from) stretches.push({ kind, name, from, to });
  };
  if (queued !== null) add('queued', 'queued', queued, Math.min(sent ?? end, end));
  if (sent !== null) add('sending', 'sending', sent, Math.min(answered ?? end, end));
  if (answered !== null) {
    const waits = waitsOf(delegation, task, events, answered, end);
    let from = answered;
    for (const wait of waits) {
      if (wait.from > from) add('working', 'working', from, wait.from);
      stretches.push(wait);
      from = wait.to;
    }
    if (end > from || waits.length === 0) add('working', 'working', from, end);
  }
  const { skillId, stepName, attempts } = delegation;
  return {
    id: delegation.id,
    name: delegation.agentName,
    detail: [skillId, stepName !== 'task' && stepName !== '' && `step ${stepName}`]
      .filter(Boolean)
      .join(' · '),
    state: delegation.state,
    segments: [
      ...stretches.map(segmentOf),
      ...attempts.flatMap((attempt): Segment[] => {
        const from = timeOf(attempt.calledAt);
        return from === null
          ? []
          : [
              {
                kind: 'failed',
                from,
                to: Date.parse(attempt.endedAt),
                label: `${attempt.agentName}: ${attempt.why}`,
              },
            ];
      }),
    ],
    ticks: attempts.map((attempt) => ({
      kind: 'attempt',
      at: Date.parse(attempt.endedAt),
      label: `${attempt.agentName}: ${attempt.why}`,
    })),
    words: stretches.length === 0 ? 'not begun' : wordsOf(stretches),
    attempts: attempts.map(({ agentId, why }) => `Before it ${agentId}: ${why}`),
  };
}

/** When it waited for the client, or may have (that is not loaded): known of the only one of a task, of others while they do. */
function waitsOf(
  delegation: Delegation,
  task: TaskDetail,
  events: readonly TaskEvent[],
  from: number,
  to: number,
): readonly Stretch[] {
  if (task.delegations.length === 1) {
    return stretchesOfTask(task, events, to)
      .filter(({ kind }) => kind === 'waiting' || kind === 'unknown')
      .map((each) => ({ ...each, from: Math.max(from, each.from), to: Math.min(to, each.to) }))
      .filter((each) => each.to >= each.from);
  }
  if (!isWaiting(delegation.state)) return [];
  return [{ kind: 'waiting', name: delegation.state, from: Date.parse(delegation.updatedAt), to }];
}

/** The deliveries of one webhook; `newest`: those among so many of all webhooks, for there are older ones; null: all. */
export function webhookRow(
  { configId, url }: Pick<Schema<'WebhookDto'>, 'configId' | 'url'>,
  deliveries: readonly Schema<'DeliveryDto'>[],
  newest: number | null,
  attemptsOf: ReadonlyMap<string, readonly Schema<'DeliveryAttemptDto'>[]>,
  now: number,
): TimelineRow {
  const count = (state: string) => deliveries.filter((each) => each.state === state).length;
  const dead = count('dead');
  const retrying = count('retrying');
  return {
    id: `webhook ${configId}`,
    name: url,
    detail: 'webhook',
    state:
      deliveries.length === 0
        ? newest === null
          ? 'nothing sent'
          : NOT_LOADED
        : dead > 0
          ? 'dead'
          : retrying > 0
            ? 'retrying'
            : count('pending') > 0
              ? 'pending'
              : 'delivered',
    segments: deliveries.map(({ state, createdAt, updatedAt, number, attempts, reason }) => ({
      kind: state === 'delivered' ? 'delivered' : state === 'dead' ? 'failed' : 'waiting',
      from: Date.parse(createdAt),
      to: state === 'delivered' || state === 'dead' ? Date.parse(updatedAt) : now,
      label: `Update ${number}: ${state} after ${attempts} attempts${reason === null ? '' : `, ${reason}`}`,
    })),
    ticks: deliveries.flatMap(({ id, number }) =>
      (attemptsOf.get(id) ?? []).map((attempt) => ({
        kind: 'attempt' as const,
        at: Date.parse(attempt.at),
        label: `Update ${number}, attempt ${attempt.number}: ${attempt.status === null ? (attempt.error ?? 'no answer') : `HTTP ${attempt.status}`}`,
      })),
    ),
    words: [
      deliveries.length === 0
        ? newest === null
          ? 'No delivery on record'
          : `None of the newest ${newest} deliveries of the task`
        : `${count('delivered')} of ${newest === null ? '' : 'the newest '}${deliveries.length} delivered`,
      retrying > 0 && `${retrying} retrying`,
      dead > 0 && `${dead} dead`,
      deliveries.find(({ reason }) => reason !== null)?.reason,
    ]
      .filter(Boolean)
      .join(', '),
    attempts: [],
  };
}

function segmentOf({ kind, name, from, to }: Stretch): Segment {
  return { kind, from, to, label: `${name} ${durationText(to - from)}` };
}

function wordsOf(stretches: readonly Stretch[]): string {
  const totals = new Map<string, number>();
  for (const { name, from, to } of stretches) {
    totals.set(name, (totals.get(name) ?? 0) + to - from);
  }
  return [...totals]
    .filter(([, ms]) => ms > 0 || totals.size === 1)
    .map(([name, ms]) => `${name} ${durationText(ms)}`)
    .join(' · ');
}

function timeOf(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}
