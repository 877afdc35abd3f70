import type { Schema } from '../../../api/client';

export type Outcome = 'completed' | 'failed' | 'ended';

/** A step of a plan as it is drawn. */
export interface PictureStep {
  readonly name: string;
  /** Who does it, in words. */
  readonly target: string;
  /** How several agents are asked, in words; null for one. */
  readonly how: string | null;
  /** Names of steps, and `message`. */
  readonly inputs: readonly string[];
  readonly after: readonly { readonly step: string; readonly outcome: Outcome }[];
  readonly isResult: boolean;
  readonly isOptional: boolean;
  readonly deadlineMs?: number | undefined;
  /** What is wrong with it. */
  readonly problem?: string | undefined;
}

type WrittenStep = Partial<Schema<'CompositeStepDto'>>;

export const MESSAGE = 'message';

/** Steps as they are written, with what the hub takes where nothing is said. */
export function stepsOfWritten(
  written: readonly WrittenStep[],
  problems: readonly { readonly field: string; readonly description: string }[] = [],
): PictureStep[] {
  const inputs = written.map(
    ({ inputs: own }, index) =>
      own ?? (index === 0 ? [MESSAGE] : [nameOf(written, index - 1), MESSAGE]),
  );
  const taken = new Set(inputs.flat());
  return written.map((step, index) => {
    const name = nameOf(written, index);
    const own = inputs[index]!;
    const wrong = problems.filter(({ field }) => field.startsWith(`steps[${index}]`));
    return {
      name,
      target: targetInWords(step),
      how: howInWords(step, undefined),
      inputs: own,
      after:
        step.after?.map(({ step: before, outcome = 'completed' }) => ({ step: before, outcome })) ??
        own
          .filter((each) => each !== MESSAGE)
          .map((each) => ({ step: each, outcome: 'completed' })),
      isResult: step.result ?? !taken.has(name),
      isOptional: step.optional ?? false,
      deadlineMs: step.deadlineSeconds === undefined ? undefined : step.deadlineSeconds * 1000,
      problem: wrong.map(({ description }) => description).join(' ') || undefined,
    };
  });
}

/** The plan of a route, with the agents that were chosen. */
export function stepsOfPlan(plan: readonly Schema<'RouteStepDto'>[]): PictureStep[] {
  return plan.map((step) => ({
    name: step.name,
    target: agentsOf(step),
    how: howInWords(step, step.chosen.length),
    inputs: step.inputs.map(({ from, step: before }) =>
      from === 'message' ? MESSAGE : (before ?? ''),
    ),
    after: step.after,
    isResult: step.isResult,
    isOptional: step.isOptional,
    deadlineMs: step.deadlineMs,
  }));
}

/** The agents of a step: of one that asks one, the first. */
function agentsOf({ strategy, chosen }: Schema<'RouteStepDto'>): string {
  const agents = [...new Set(chosen.map(({ agentId }) => agentId))];
  if (strategy !== 'one') return agents.join(', ');
  return agents.length > 1 ? `${agents[0]} (+${agents.length - 1})` : (agents[0] ?? 'nobody');
}

/** Its name; while that is missing or another's, its number as well. */
function nameOf(written: readonly WrittenStep[], index: number): string {
  const name = written[index]?.name;
  if (!name) return `step ${index + 1}`;
  const first = written.findIndex((step) => step.name === name);
  return first === index ? name : `${name} (step ${index + 1})`;
}

function targetInWords({ agentId, skillId, tags, match }: WrittenStep): string {
  const parts = [
    agentId,
    skillId && `skill ${skillId}`,
    tags && `tags ${tags.join(match === 'any' ? ' or ' : ' and ')}`,
  ].filter(Boolean);
  return parts.length === 0 ? 'nobody yet' : parts.join(', ');
}

function howInWords(
  {
    strategy,
    require = 'all',
    quorum,
    maxAgents,
  }: Pick<WrittenStep, 'strategy' | 'require' | 'quorum' | 'maxAgents'>,
  count: number | undefined,
): string | null {
  const of = count === undefined ? '' : ` of ${count}`;
  const most = maxAgents === undefined ? '' : `, at most ${maxAgents}`;
  if (strategy === 'first') return `first${of} wins${most}`;
  if (strategy !== 'all') return null;
  switch (require) {
    case 'all':
      return `all${of} must complete${most}`;
    case 'any':
      return `any${of} must complete${most}`;
    case 'quorum':
      return `quorum ${quorum ?? '?'}${of}${most}`;
    case 'best-effort':
      return `best effort${of}${most}`;
  }
}
