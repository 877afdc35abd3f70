import type { Agent } from '../../agent.js';
import { type Findings, isFailure } from './findings.js';

/** What an operator may change, as the body of a PATCH, and why. */
export interface Recommendation {
  /** Null: nothing the hub can be told would help. */
  readonly patch: Readonly<Record<string, unknown>> | null;
  readonly why: string;
}

/** A first event that took longer than this share of its budget may come too late another time. */
const CLOSE_TO_BUDGET = 0.5;

/** What the findings of a probe suggest for this agent, the most important first. */
export function recommend(
  agent: Pick<Agent, 'card' | 'switches' | 'endpoint'>,
  found: Findings,
  firstEventMs: number,
): Recommendation[] {
  if (found.oldWire !== null) return [{ patch: null, why: found.oldWire }];
  return [
    ...forFailure(found),
    ...forStreams(agent, found),
    ...forLooks(agent, found),
    ...forVersion(agent, found),
    ...forTime(found, firstEventMs),
  ];
}

/** It has taken the message, and could do nothing with it: the fault is behind its A2A. */
function forFailure({ answer }: Findings): Recommendation[] {
  if (!isFailure(answer)) return [];
  const why = `It understands the hub, but its task is ${answer}: look into the agent's own log, or probe with a probeText that it can do.`;
  return [{ patch: null, why }];
}

function forStreams({ card, switches }: Pick<Agent, 'card' | 'switches'>, found: Findings) {
  const { streams, deviations } = found;
  if (deviations.includes('out-of-order') && switches.streaming !== 'off') {
    const why =
      'Its stream brings events in another order than they were made in: a task that is asked for is whole.';
    return [{ patch: { switches: { streaming: 'off' } }, why }];
  }
  if (streams === 'no' && card.capabilities?.streaming === true && switches.streaming !== 'off') {
    const why = 'Its card says that it streams, and it does not: without asking, a call is saved.';
    return [{ patch: { switches: { streaming: 'off' } }, why }];
  }
  return [];
}

/** An agent that has to be asked for its task, and cannot be. */
function forLooks({ switches }: Pick<Agent, 'switches'>, found: Findings): Recommendation[] {
  const { answersGetTask, streams, answer } = found;
  if (answersGetTask !== 'no' || answer === 'message') return [];
  if (streams === 'yes') {
    return [
      {
        patch: null,
        why: 'It does not answer GetTask for its own tasks: if its stream breaks, what it had not sent yet is lost.',
      },
    ];
  }
  if (switches.blocking === 'on') return [];
  const why =
    'It neither streams nor knows its tasks (GetTask): only a message that waits for the end brings the answer.';
  return [{ patch: { switches: { blocking: 'on' } }, why }];
}

function forVersion({ endpoint }: Pick<Agent, 'endpoint'>, found: Findings): Recommendation[] {
  const { protocolVersion, protocolBinding, url } = found.endpoint;
  if (protocolVersion !== endpoint.protocolVersion) {
    const why = `Its card says ${endpoint.protocolVersion}, and it speaks ${protocolVersion} there.`;
    return [{ patch: { protocolVersion }, why }];
  }
  if (url === endpoint.url && protocolBinding === endpoint.protocolBinding) return [];
  const why = `The first interface of its card did not answer; ${protocolBinding} did.`;
  return [{ patch: { protocolBinding, protocolVersion }, why }];
}

function forTime({ outcome, firstAnswerMs }: Findings, budgetMs: number): Recommendation[] {
  if (firstAnswerMs === null || outcome === 'late' || firstAnswerMs < budgetMs * CLOSE_TO_BUDGET) {
    return [];
  }
  const why = `Its first answer took ${firstAnswerMs} ms, and it may take ${budgetMs} ms at most.`;
  return [{ patch: { budgets: { firstEventMs: 4 * firstAnswerMs } }, why }];
}
