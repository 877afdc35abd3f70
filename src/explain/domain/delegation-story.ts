import { sentenceOf } from '../../common/sentence.js';
import type { Plan } from '../../routing/index.js';
import {
  type Attempt,
  type ClientWaits,
  type Delegation,
  type DelegationState,
  isEnded,
} from '../../tasks/index.js';
import type { StoryEntry } from './story.js';
import { countOf, durationOf } from './words.js';

/** Waiting for less than this is not told. */
const NOTEWORTHY_MS = 1000;

/** What a reader of a story may see, and what the hub knows beside the task. */
export interface StoryReader {
  readonly now: Date;
  /** What people know principals as, by their ids; one that is not there: by its id alone. */
  readonly names: ReadonlyMap<string, string>;
  /** The newest task that retries this one; null without any. */
  readonly retriedAs: string | null;
  /** With the scope `tasks:all`: the error texts of agents are told, too. */
  readonly seesTroubles: boolean;
  /** Why no work is taken up now, as a sentence; null while it is. */
  readonly unworked: string | null;
  /** Since when the only process of the hub that works is at work; null where there are several, or it is not known. */
  readonly upSince: Date | null;
  /** How long an agent may be silent, in milliseconds. */
  readonly patienceWith: (agentId: string) => Patience;
}

export interface Patience {
  /** From the message to the first answer (`agents.firstEvent`). */
  readonly firstEventMs: number;
  /** Between two signs of life (`agents.idle`). */
  readonly idleMs: number;
}

/** What happened at the agents of one delegation. */
export function delegationEntries(
  delegation: Delegation,
  plan: Plan,
  { seesTroubles, upSince }: Pick<StoryReader, 'seesTroubles' | 'upSince'>,
): StoryEntry[] {
  const { begunAt, progress, state } = delegation;
  const { times = {}, attempts = [], trouble } = progress;
  const step = plan.length > 1 ? `Step "${plan[delegation.step]?.name ?? ''}": ` : '';
  const who = nameOf(delegation);
  const entries: StoryEntry[] = attempts.map((each) =>
    at(each.endedAt, `${step}${attemptText(each)}`),
  );
  if (trouble !== undefined && seesTroubles) {
    const code = trouble.httpStatus ?? trouble.code;
    const kind = code === undefined ? trouble.kind : `${trouble.kind}, ${code}`;
    const text = `${step}The call to the agent ${trouble.agentId} failed (${kind}): ${sentenceOf(trouble.text)}`;
    entries.push(at(trouble.at, text));
  }
  const { sentAt, takenOverAt, resentAt, answeredAt, endedAt } = times;
  if (begunAt !== null && sentAt === undefined && attempts.length === 0) {
    entries.push(at(begunAt.getTime(), `${step}It was queued for ${who}.`));
  }
  if (sentAt !== undefined) {
    const waited = begunAt === null ? 0 : sentAt - begunAt.getTime();
    const after = waited < NOTEWORTHY_MS ? '' : ` after ${durationOf(waited)} in the queue`;
    const gap = begunAt !== null && isStartedBetween(upSince, begunAt.getTime(), sentAt);
    const restart = gap
      ? `; the hub was started again at ${upSince!.toISOString()}, after this had been queued`
      : '';
    entries.push(at(sentAt, `${step}The message was sent to ${who}${after}${restart}.`));
  }
  if (takenOverAt !== undefined) {
    const text = `${step}The hub was restarted, or another of its processes took over, while the message to ${who} was on its way: it has asked the agent whether it has arrived.`;
    entries.push(at(takenOverAt, text));
  }
  if (resentAt !== undefined) {
    const text = `${step}The message was sent to ${who} again, under the same message id, as it was not known to have arrived.`;
    entries.push(at(resentAt, text));
  }
  if (answeredAt !== undefined) {
    // It is the first message that was taken; the one sent again may be a later one.
    const from = resentAt !== undefined && resentAt <= answeredAt ? resentAt : sentAt;
    const after = from === undefined ? '' : ` after ${durationOf(answeredAt - from)}`;
    entries.push(at(answeredAt, `${step}${who} took it${after}.`));
  }
  if (times.waits !== undefined) entries.push(...waitEntries(times.waits, `${step}${who}`));
  if (isEnded(state)) {
    entries.push(at(endedAt ?? delegation.updatedAt.getTime(), `${step}${endText(delegation)}`));
  }
  return entries;
}

/** The last time that it waited for the client; how often and how long it did before. */
function waitEntries(waits: ClientWaits, who: string): StoryEntry[] {
  const { times, state, since, until, ms } = waits;
  const what = state === 'input-required' ? 'input' : 'authorization';
  const before = times === 1 ? '' : ` after ${countOf(times - 1, 'earlier wait')}`;
  const begun = at(since, `${who} began to wait for ${what} of the client${before}.`);
  if (until === undefined) return [begun];
  const inAll = times === 1 ? '' : `, ${durationOf(ms)} in all`;
  const over = `${who} had waited for the client for ${durationOf(until - since)}${inAll}.`;
  return [begun, at(until, over)];
}

function isStartedBetween(start: Date | null, from: number, to: number): boolean {
  return start !== null && start.getTime() > from && start.getTime() <= to;
}

function attemptText({ agentId, agentName, calledAt, why }: Attempt): string {
  const who = `${agentName} (${agentId})`;
  const what =
    calledAt === undefined ? 'was passed over without a call' : 'did not take the message';
  return `${who} ${what}: ${sentenceOf(why)}`;
}

const ENDS: Readonly<Partial<Record<DelegationState, string>>> = {
  completed: 'completed its part',
  failed: 'failed',
  canceled: 'was canceled',
  rejected: 'rejected the task',
  skipped: 'was not asked',
};

/** How a delegation has ended and why. */
export function endText(delegation: Delegation): string {
  const { state, reason, cancelPending } = delegation;
  const end = `${nameOf(delegation)} ${ENDS[state] ?? state}`;
  const why = reason === null ? `${end}.` : `${end}: ${sentenceOf(reason)}`;
  return cancelPending ? `${why} Its cancel has not reached it yet.` : why;
}

/** What a delegation that has not ended waits for; undefined where another one comes first. */
export function waitText(
  delegation: Delegation,
  { now, unworked, patienceWith }: StoryReader,
): string | undefined {
  const { state, reason, progress, owner, begunAt, deadlineAt, updatedAt } = delegation;
  const who = nameOf(delegation);
  const unless = (what: string): string => `It fails at ${deadlineAt.toISOString()} if ${what}.`;
  const { firstEventMs, idleMs } = patienceWith(delegation.agentId);
  const since = (from: Date): string => durationOf(now.getTime() - from.getTime());
  switch (state) {
    case 'queued':
      if (owner === null && unworked !== null) return sentenceOf(unworked);
      if (reason !== null)
        return `${sentenceOf(reason)} ${unless('its turn has not come by then')}`;
      return `It has waited for its turn at ${who} for ${since(begunAt ?? updatedAt)}: as many calls as are allowed are under way. ${unless('its turn has not come by then')}`;
    case 'sending':
      return `The message is on its way to ${who}, for ${since(updatedAt)}, without an answer yet. The agent has ${durationOf(firstEventMs)} for it (agents.firstEvent); the task as a whole fails at ${deadlineAt.toISOString()} if it has not ended by then.`;
    case 'working': {
      const from = progress.times?.answeredAt;
      const working = from === undefined ? '' : `, for ${since(new Date(from))}`;
      return `${who} works on it${working}. It may be silent for ${durationOf(idleMs)} (agents.idle). ${unless('it has not ended by then')}`;
    }
    case 'input-required': {
      const from = progress.times?.waits?.since;
      const ago = from === undefined ? '' : `, ${since(new Date(from))} ago`;
      return `${who} has asked for more${ago}: the client has to send a further message with the id of the task. ${unless('none has come by then')}`;
    }
    case 'auth-required':
      return `${authText(delegation)} ${unless('that is not done by then')}`;
    default:
      return undefined;
  }
}

function authText(delegation: Delegation): string {
  const { awaits } = delegation.progress;
  const who = nameOf(delegation);
  if (awaits === undefined) return `${who} has asked the client to authorize itself there.`;
  if (awaits === 'caller-token') {
    return `${who} is called with the access token of the client: it has to send a further message with a fresh one.`;
  }
  return `${who} is called in the name of the client, who has to consent by the link in the status of the task (valid until ${awaits.expiresAt}).`;
}

function nameOf({ agentId, agentName }: Pick<Delegation, 'agentId' | 'agentName'>): string {
  return `${agentName} (${agentId})`;
}

function at(ms: number, text: string): StoryEntry {
  return { at: new Date(ms), about: 'agent', text };
}
