import type { JsonObject } from '../json.js';

/** A task as the admin API shows it. */
export interface TaskView extends JsonObject {
  readonly state: string;
  readonly delegations: readonly DelegationView[];
}

export interface DelegationView extends JsonObject {
  readonly agentId: string;
  readonly agentName: string;
  readonly state: string;
  readonly step: number;
  readonly reason: string | null;
}

interface StepView {
  readonly strategy: string;
  readonly require: string;
  readonly quorum?: number;
  readonly isResult: boolean;
  readonly isOptional: boolean;
}

/** The ends of a delegation. */
export const ENDS: ReadonlySet<string> = new Set([
  'completed',
  'failed',
  'canceled',
  'rejected',
  'skipped',
]);

/** The steps of a task's plan; a route of one step has no plan of its own. */
export function stepsOf({ route }: TaskView): StepView[] {
  const { plan, strategy, require, quorum } = route as JsonObject;
  return (
    (plan as StepView[] | undefined) ?? [
      { strategy, require, quorum, isResult: true, isOptional: false },
    ]
  );
}

/**
 * Whether the task must have completed, by what its delegations came to: every step that is neither
 * optional nor skipped has met its policy, and a step that gives the result has.
 */
export function mustComplete(task: TaskView): boolean {
  const steps = stepsOf(task).map((step, index) => {
    const ofStep = task.delegations.filter((each) => each.step === index);
    const skipped = ofStep.every(({ state }) => state === 'skipped');
    return { ...step, skipped, met: !skipped && isMet(step, ofStep) };
  });
  return (
    steps.every(({ met, skipped, isOptional }) => met || skipped || isOptional) &&
    steps.some(({ met, isResult }) => met && isResult)
  );
}

function isMet(step: StepView, delegations: readonly DelegationView[]): boolean {
  const completed = delegations.filter(({ state }) => state === 'completed').length;
  return completed >= needed(step, delegations.length);
}

function needed({ strategy, require, quorum }: StepView, all: number): number {
  if (strategy !== 'all') return 1;
  if (require === 'all') return all;
  return require === 'quorum' ? (quorum ?? 1) : 1;
}

/** What is wrong with how the task stands; nothing when it stands as it should. */
export function verdictOn(task: TaskView, text: string, canceled: boolean): string[] {
  const open = task.delegations.filter(({ state }) => !ENDS.has(state));
  if (task.state === 'input-required') {
    const requested = open.some(({ state }) => state === 'input-required');
    return requested && text !== '' ? [] : ['it waits, but nobody asks'];
  }
  if (!ENDS.has(task.state)) return [`it is still ${task.state}`];
  const wrong = open.map(({ agentName, state }) => `${agentName} is orphaned: ${state}`);
  if ((task.state === 'completed') !== mustComplete(task) && !(canceled && mustComplete(task))) {
    wrong.push(`it is ${task.state}, which does not follow from its delegations`);
  }
  if (task.state === 'canceled' && !canceled && !task.delegations.some(isMixedUp)) {
    wrong.push('it is canceled, and nobody asked for it');
  }
  return [...wrong, ...unexplained(task, text)];
}

/** Its agent gives two tasks one id, and has canceled both when one of them was. */
function isMixedUp({ agentId, state }: DelegationView): boolean {
  return state === 'canceled' && agentId.startsWith('reuses-ids');
}

/** The text names whoever is missing, and each of them has a reason. */
function unexplained(task: TaskView, text: string): string[] {
  // Its client knows why: verdictOn() has made sure of that.
  if (task.state === 'canceled') return [];
  if (task.state !== 'completed' && text === '') return [`it is ${task.state} without a word`];
  if (task.delegations.length === 1) return [];
  return stepsOf(task).flatMap((step, index) => {
    const ofStep = task.delegations.filter((each) => each.step === index);
    if (isMet(step, ofStep) && !(step.strategy === 'all' && step.require === 'best-effort'))
      return [];
    const missing = ofStep.filter(({ state }) => state === 'failed' || state === 'rejected');
    return missing.flatMap(({ agentName, reason }) => [
      ...(text.includes(agentName) ? [] : [`its text does not name ${agentName}: ${text}`]),
      ...(reason ? [] : [`no reason why ${agentName} is missing`]),
    ]);
  });
}
