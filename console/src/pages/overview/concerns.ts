import type { Schema } from '../../api/client';
import { counted } from '../../ui/lists';
import type { PageAddress } from '../../ui/page-link';
import { durationText } from '../../ui/time';

export interface Concern {
  readonly tone: 'bad' | 'warning';
  readonly text: string;
  readonly link?: PageAddress;
}

/** Minutes in which failures count as present. */
const RECENT_MINUTES = 15;
const FAILED_SHARE = 0.05;
const BROKEN_SHARE = 0.5;
const LONG_WAIT_MS = 60_000;
/** Failing agents, receivers in trouble and limits that an overview names at most. */
const NAMED = 10;

/** Tasks that ended in the last minutes, but for those that were canceled. */
export function endedLately({
  completed,
  failed,
  rejected,
}: Pick<Schema<'OverviewTasksDto'>, 'completed' | 'failed' | 'rejected'>): number {
  return recent(completed) + recent(failed) + recent(rejected);
}

/** What somebody should look at, the worst first. */
export function concernsOf(
  overview: Schema<'OverviewDto'>,
  health: Schema<'HealthDetailsDto'> | undefined,
): readonly Concern[] {
  // By the names of the checks that look at the same.
  const own: Readonly<Record<string, readonly Concern[]>> = {
    workers: workers(overview),
    agents: agents(overview.agents),
    tasks: tasks(overview.tasks),
    receivers: receivers(overview),
  };
  const found = [
    ...checks(health, own),
    ...Object.values(own).flat(),
    ...deadLetters(overview.deliveries),
    ...limits(overview.limits),
  ];
  return [
    ...found.filter(({ tone }) => tone === 'bad'),
    ...found.filter(({ tone }) => tone === 'warning'),
  ];
}

/** Those that say more, or worse, than what is counted of the same. */
function checks(
  health: Schema<'HealthDetailsDto'> | undefined,
  own: Readonly<Record<string, readonly Concern[]>>,
): readonly Concern[] {
  return (health?.checks ?? []).flatMap(({ name, state, summary }): readonly Concern[] => {
    if (state === 'ok') return [];
    const said = own[name] ?? [];
    const isSaid = state === 'failing' ? said.some(({ tone }) => tone === 'bad') : said.length > 0;
    return isSaid ? [] : [{ tone: state === 'failing' ? 'bad' : 'warning', text: summary }];
  });
}

function workers({ workers }: Schema<'OverviewDto'>): readonly Concern[] {
  return workers === 0
    ? [{ tone: 'bad', text: 'No worker process is running: tasks and webhooks wait.' }]
    : [];
}

function agents(counts: Schema<'OverviewDto'>['agents']): readonly Concern[] {
  if (counts === null) return [];
  const found: Concern[] = [];
  if (counts.enabled === 0 && counts.disabled > 0) {
    found.push({
      tone: 'bad',
      text: `${counted(counts.disabled, 'agent is', 'agents are')} registered, none enabled: every message is refused.`,
      link: { to: '/agents', search: { state: 'disabled' } },
    });
  }
  if (counts.down > 0) {
    found.push({
      tone: 'bad',
      text: `${counted(counts.down, 'agent is', 'agents are')} down.`,
      link: { to: '/agents', search: { health: 'down' } },
    });
  }
  if (counts.degraded > 0) {
    found.push({
      tone: 'warning',
      text: `${counted(counts.degraded, 'agent is', 'agents are')} degraded.`,
      link: { to: '/agents', search: { health: 'degraded' } },
    });
  }
  if (counts.failingCalls > 0) {
    found.push({
      tone: 'warning',
      text: `Half or more of the last calls of ${counted(counts.failingCalls, 'agent')} failed, though ${counts.failingCalls === 1 ? 'it is' : 'they are'} not down.`,
      link: { to: '/agents', search: { health: 'failing' } },
    });
  }
  if (counts.unusable > 0) {
    found.push({
      tone: 'warning',
      text: `${counted(counts.unusable, 'agent gets', 'agents get')} no work: the card cannot be read or used.`,
      link: { to: '/agents', search: { health: 'troubled' } },
    });
  }
  if (counts.failingTasks.length > 0) {
    const names = counts.failingTasks.map(({ name }) => name);
    const each = names.length === 1 ? 'it' : 'they each';
    found.push({
      tone: 'bad',
      text: `${atLeast(names.length, names.length >= NAMED, 'agent', 'agents')} failed at least 3 tasks in the last hour, more than ${each} completed: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ' and others' : ''}.`,
      link:
        names.length === 1
          ? { to: `/agents/${counts.failingTasks[0]!.agentId}` }
          : { to: '/tasks', search: { state: 'failed', time: 'status', range: '1h' } },
    });
  }
  if (counts.breakersOpen > 0) {
    found.push({
      tone: 'warning',
      text: `The breaker of ${counted(counts.breakersOpen, 'agent is', 'agents is')} open: no work goes there for a while.`,
      link: { to: '/agents', search: { health: 'troubled' } },
    });
  }
  if (found.length === 0 && counts.inTrouble > 0) {
    found.push({
      tone: 'warning',
      text: `${counted(counts.inTrouble, 'agent is', 'agents are')} in trouble.`,
      link: { to: '/agents', search: { health: 'troubled' } },
    });
  }
  return found;
}

function tasks(numbers: Schema<'OverviewDto'>['tasks']): readonly Concern[] {
  if (numbers === null) return [];
  const found: Concern[] = [];
  const failed = recent(numbers.failed);
  const ended = endedLately(numbers);
  if (failed > 0 && failed >= ended * FAILED_SHARE) {
    found.push({
      tone: failed >= ended * BROKEN_SHARE ? 'bad' : 'warning',
      text: `${failed} of ${counted(ended, 'task', 'tasks')} failed in the last ${RECENT_MINUTES} minutes.`,
      link: { to: '/tasks', search: { state: 'failed', time: 'status', range: '15m' } },
    });
  }
  const { stuck } = numbers;
  if (stuck.total > 0) {
    found.push({
      tone: 'warning',
      text: `${atLeast(stuck.total, stuck.isLeast, 'task is', 'tasks are')} stuck: no agent begins ${stuck.total === 1 ? 'it' : 'them'}, or nothing is received any more.`,
      link: { to: '/tasks', search: { stuck: 'true' } },
    });
  }
  if (numbers.oldestWaitMs !== null && numbers.oldestWaitMs >= LONG_WAIT_MS) {
    found.push({
      tone: 'warning',
      text: `Work has waited ${durationText(numbers.oldestWaitMs)} for an agent to take it.`,
      link: { to: '/tasks', search: { state: 'submitted,working' } },
    });
  }
  return found;
}

function receivers(overview: Schema<'OverviewDto'>): readonly Concern[] {
  const found: Concern[] = [];
  const { total, disabled, failing, gone, rejecting, losing } = troublesOf(
    overview.receivers ?? [],
  );
  // The hub names the worst ones alone: of the last kind that is among them there may be more.
  const isFull = total >= NAMED;
  const isCut = isCutOff(overview);
  if (disabled > 0) {
    found.push({
      tone: 'bad',
      text: `${atLeast(disabled, isFull && total === disabled, 'receiver of webhooks is', 'receivers of webhooks are')} disabled after too many failures.`,
      link: { to: '/webhooks', search: { tab: 'receivers', state: 'disabled' } },
    });
  }
  if (failing > 0) {
    found.push({
      tone: 'warning',
      text: `${atLeast(failing, isFull && losing === 0, 'receiver of webhooks fails', 'receivers of webhooks fail')}: events wait for ${failing === 1 ? 'it' : 'them'}.`,
      link: { to: '/webhooks', search: { tab: 'receivers', state: 'failing', rejects: 'false' } },
    });
  }
  if (gone > 0) {
    found.push({
      tone: 'warning',
      text: `${atLeast(gone, isFull && losing === 0, 'receiver of webhooks', 'receivers of webhooks')} answered 410: the webhook that got it is disabled.`,
      link: { to: '/webhooks', search: { tab: 'receivers', state: 'failing', rejects: 'true' } },
    });
  }
  if (rejecting > 0) {
    found.push({
      tone: 'warning',
      text: `${atLeast(rejecting, isFull && losing === 0, 'receiver of webhooks answers, but rejects', 'receivers of webhooks answer, but reject')} events: they are lost until they are sent again.`,
      link: { to: '/webhooks', search: { tab: 'receivers', state: 'failing', rejects: 'true' } },
    });
  }
  if (losing > 0) {
    found.push({
      tone: 'warning',
      text: `${atLeast(losing, isCut, 'receiver of webhooks', 'receivers of webhooks')} lost events in the last 24 hours, though ${losing === 1 ? 'it does' : 'they do'} not fail now: what was lost can be sent again.`,
      link: { to: '/webhooks', search: { tab: 'receivers' } },
    });
  }
  return found;
}

function deadLetters(deliveries: Schema<'OverviewDto'>['deliveries']): readonly Concern[] {
  if (deliveries === null || deliveries.deadLetters === 0) return [];
  const { deadLetters: count, countedUpTo } = deliveries;
  return [
    {
      tone: 'warning',
      text: `${atLeast(count, count >= countedUpTo, 'webhook was', 'webhooks were')} given up. They can be sent again unless their webhook is gone by now.`,
      link: { to: '/webhooks', search: { tab: 'dead-letters' } },
    },
  ];
}

/** How many receivers are in which trouble, each counted once. */
export interface ReceiverTroubles {
  readonly total: number;
  readonly disabled: number;
  /** Without the next two. */
  readonly failing: number;
  readonly gone: number;
  readonly rejecting: number;
  /** Well by now, but they lost events. */
  readonly losing: number;
}

/** Whether nothing but that it lost events is said of it. */
export function isLosing({ state }: Pick<Schema<'TroubledReceiverDto'>, 'state'>): boolean {
  return state !== 'disabled' && state !== 'failing';
}

export function troublesOf(all: readonly Schema<'TroubledReceiverDto'>[]): ReceiverTroubles {
  const disabled = all.filter(({ state }) => state === 'disabled').length;
  const failed = all.filter(({ state }) => state === 'failing');
  const gone = failed.filter((each) => each.gone).length;
  const rejecting = failed.filter(({ rejects }) => rejects).length - gone;
  return {
    total: all.length,
    disabled,
    failing: failed.length - gone - rejecting,
    gone,
    rejecting,
    losing: all.filter(isLosing).length,
  };
}

/** Whether there may be more receivers in trouble than are named. */
export function isCutOff({
  receivers,
  receiversIsLeast,
}: Pick<Schema<'OverviewDto'>, 'receivers' | 'receiversIsLeast'>): boolean {
  return receiversIsLeast || (receivers ?? []).length >= NAMED;
}

function limits(near: Schema<'OverviewDto'>['limits']): readonly Concern[] {
  const used = (near ?? []).filter(({ used, limit }) => used >= limit).length;
  const close = (near ?? []).length - used;
  const found: Concern[] = [];
  const link = { to: '/access', search: { tab: 'limits' } };
  // The nearest to their end alone are named: of the last kind that is among them there may be more.
  const isCut = (near ?? []).length >= NAMED;
  if (used > 0) {
    found.push({
      tone: 'bad',
      text: `${atLeast(used, isCut && close === 0, 'limit is', 'limits are')} used up.`,
      link,
    });
  }
  if (close > 0) {
    found.push({
      tone: 'warning',
      text: `${atLeast(close, isCut, 'limit is', 'limits are')} near the end.`,
      link,
    });
  }
  return found;
}

export function recent(numbers: readonly number[]): number {
  return numbers.slice(-RECENT_MINUTES).reduce((sum, each) => sum + each, 0);
}

/** What was looked at, when nothing of it needs a look. */
export function whatIsWell(
  { agents, tasks, receivers, receiversIsLeast, deliveries, limits }: Schema<'OverviewDto'>,
  health: Schema<'HealthDetailsDto'> | undefined,
): string {
  const looked = [
    agents && `${counted(agents.enabled, 'agent')} in service`,
    tasks &&
      `${tasks.stuck.isLeast ? 'none of the tasks that were looked at is stuck' : 'no task is stuck'}, work does not pile up`,
    receivers && !receiversIsLeast && 'every receiver of webhooks takes them',
    deliveries && 'no webhook was given up',
    limits && 'no limit is near its end',
    health && 'every check of the hub is ok',
  ].filter(Boolean);
  return `${looked.join(', ')}.`;
}

function atLeast(count: number, isCut: boolean, one: string, many: string): string {
  return isCut ? `${count} or more ${many}` : counted(count, one, many);
}
