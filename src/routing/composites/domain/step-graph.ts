import type { StepCondition, StepInput, StepOutcome } from '../../domain/plan.js';
import { MESSAGE_INPUT, type WrittenStep } from './composite.js';

/** A step with its defaults filled in. */
export interface ResolvedStep {
  readonly name: string;
  readonly written: WrittenStep;
  readonly inputs: readonly StepInput[];
  readonly after: readonly StepCondition[];
  readonly isResult: boolean;
}

/**
 * Fills in what is not written:
 * - `inputs`: the artifacts of the step written before, then the message; of the first: the message.
 * - `after`: every step named in `inputs`, completed; so a step that takes only the message begins
 *   with the task.
 * - `outcome`: `completed`.
 * - `result`: true for a step whose artifacts no other step takes.
 */
export function resolveSteps(steps: readonly WrittenStep[]): ResolvedStep[] {
  const named = steps.map((step, index) => ({
    step,
    inputs: step.inputs ?? defaultInputs(steps[index - 1]),
  }));
  const taken = new Set(
    named.flatMap(({ step, inputs }) => inputs.filter((input) => input !== step.name)),
  );
  return named.map(({ step, inputs }) => ({
    name: step.name,
    written: step,
    inputs: inputs.map((input) =>
      input === MESSAGE_INPUT ? { from: 'message' } : { from: 'step', step: input },
    ),
    after:
      step.after?.map((each) => ({ step: each.step, outcome: each.outcome ?? 'completed' })) ??
      inputs
        .filter((input) => input !== MESSAGE_INPUT)
        .map((input) => ({ step: input, outcome: 'completed' })),
    isResult: step.result ?? !taken.has(step.name),
  }));
}

function defaultInputs(before: WrittenStep | undefined): readonly string[] {
  return before === undefined ? [MESSAGE_INPUT] : [before.name, MESSAGE_INPUT];
}

/** The order in which steps run, or what keeps them from having one. */
export interface StepOrder<T> {
  /** Each behind those it comes after, else as written. Those in or behind a cycle are missing. */
  readonly ordered: readonly T[];
  /** Names along each cycle, in the order work would flow; the first name is not repeated. */
  readonly cycles: readonly (readonly string[])[];
}

/** What the order depends on. */
export type Ordered = Pick<ResolvedStep, 'name' | 'after'>;

/** Orders steps by what they come after. Names of unknown steps hold nothing up. */
export function orderSteps<T extends Ordered>(steps: readonly T[]): StepOrder<T> {
  const known = new Set(steps.map(({ name }) => name));
  const done = new Set<string>();
  const waitsFor = ({ after }: Ordered): string[] =>
    after.map(({ step }) => step).filter((name) => known.has(name) && !done.has(name));
  const ordered: T[] = [];
  const cycles: string[][] = [];
  let left = steps;
  while (left.length > 0) {
    const next = left.find((step) => waitsFor(step).length === 0);
    if (next) {
      // Behind a cycle everything is out of order: what is found there is only looked through.
      if (cycles.length === 0) ordered.push(next);
      done.add(next.name);
      left = left.filter((step) => step !== next);
    } else {
      const cycle = cycleIn(left, waitsFor);
      cycles.push(cycle);
      cycle.forEach((name) => done.add(name));
      left = left.filter(({ name }) => !done.has(name));
    }
  }
  return { ordered, cycles };
}

/** One cycle of steps of which each waits for another. */
function cycleIn<T extends Ordered>(
  steps: readonly T[],
  waitsFor: (step: Ordered) => readonly string[],
): string[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const path: string[] = [];
  for (let name = steps[0]?.name; name !== undefined;) {
    const seen = path.indexOf(name);
    // The path goes from a step to the one before it; work flows the other way.
    if (seen >= 0) return startingFirst(path.slice(seen).reverse(), steps);
    path.push(name);
    const step = byName.get(name);
    name = step && waitsFor(step)[0];
  }
  return path;
}

/** The same cycle from the step that is written first. */
function startingFirst(cycle: readonly string[], steps: readonly Ordered[]): string[] {
  const first = steps.find(({ name }) => cycle.includes(name))?.name ?? '';
  const start = cycle.indexOf(first);
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}

/** The steps that have ended whenever this one begins, with how: what it waits for, and so on. */
export function outcomesBefore(
  step: Ordered,
  byName: ReadonlyMap<string, Ordered>,
): Map<string, Set<StepOutcome>> {
  const found = new Map<string, Set<StepOutcome>>();
  const open: Ordered[] = [step];
  const seen = new Set<string>([step.name]);
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    for (const { step: name, outcome } of each.after) {
      found.set(name, (found.get(name) ?? new Set()).add(outcome));
      const before = byName.get(name);
      if (before && !seen.has(name)) {
        seen.add(name);
        open.push(before);
      }
    }
  }
  return found;
}
