import { asksInTurn, policyOf, stepStrategiesThat } from '../../domain/strategy/step-policies.js';
import type { FieldViolation } from '../../../common/hub-error.js';
import { COMPOSITE_AGENT_ID } from '../../domain/composite-skill.js';
import { splitSkillId } from '../../domain/agent-index.js';
import {
  COMPOSITE_LIMITS,
  MESSAGE_INPUT,
  namesNothing,
  type CompositeDefinition,
  type WrittenStep,
} from './composite.js';
import { orderSteps, outcomesBefore, resolveSteps, type ResolvedStep } from './step-graph.js';

/**
 * Everything that is wrong with a plan in itself, whatever agents there are: all of it at once, each
 * problem with its place. Types and ranges of the members are checked before.
 */
export function checkDefinition({
  steps,
  maxCalls,
}: Pick<CompositeDefinition, 'steps' | 'maxCalls'>): FieldViolation[] {
  const resolved = resolveSteps(steps);
  return [
    ...steps.flatMap((step, i) => [
      ...nameProblems(step, i, steps),
      ...targetProblems(step, `steps[${i}]`),
      ...policyProblems(step, `steps[${i}]`),
      ...referenceProblems(step, i, steps),
    ]),
    ...graphProblems(resolved),
    ...sizeProblems(steps),
    ...callProblems(resolved, maxCalls),
  ];
}

function nameProblems(
  { name }: WrittenStep,
  index: number,
  steps: readonly WrittenStep[],
): FieldViolation[] {
  const field = `steps[${index}].name`;
  const first = steps.findIndex((step) => step.name === name);
  return [
    ...when(first < index, field, `"${name}" is the name of steps[${first}] already`),
    ...when(name === MESSAGE_INPUT, field, `"${MESSAGE_INPUT}" stands for the client's message`),
  ];
}

function targetProblems(step: WrittenStep, field: string): FieldViolation[] {
  const { agentId, skillId, tags, match } = step;
  const nested = 'a composite skill cannot be a step of another';
  return [
    ...when(namesNothing(step), field, 'needs agentId, skillId or tags'),
    ...when(match !== undefined && tags === undefined, `${field}.match`, 'is for tags only'),
    ...when(agentId === COMPOSITE_AGENT_ID, `${field}.agentId`, nested),
    ...when(
      skillId !== undefined && splitSkillId(skillId)?.agentId === COMPOSITE_AGENT_ID,
      `${field}.skillId`,
      nested,
    ),
  ];
}

function policyProblems(step: WrittenStep, field: string): FieldViolation[] {
  const { strategy = 'one', require, quorum, maxAgents } = step;
  const policy = policyOf(strategy);
  const most = maxAgents ?? COMPOSITE_LIMITS.maxAgents;
  return [
    ...when(
      require !== undefined && !policy.hasRequirement,
      `${field}.require`,
      `is for strategy ${stepStrategiesThat(({ hasRequirement }) => hasRequirement, '"')} only`,
    ),
    ...when(
      maxAgents !== undefined && !policy.fansOut,
      `${field}.maxAgents`,
      `is for strategy ${stepStrategiesThat(({ fansOut }) => fansOut, '"')} only`,
    ),
    ...when(
      require === 'quorum' && quorum === undefined,
      `${field}.quorum`,
      'is needed for require "quorum"',
    ),
    ...when(
      quorum !== undefined && require !== 'quorum',
      `${field}.quorum`,
      'is for require "quorum" only',
    ),
    ...when(
      quorum !== undefined && require === 'quorum' && quorum > most,
      `${field}.quorum`,
      `is ${quorum}, but maxAgents is ${most}${maxAgents === undefined ? ' where it is not given' : ''}`,
    ),
  ];
}

/** What `inputs` and `after` name. */
function referenceProblems(
  { name, inputs = [], after = [] }: WrittenStep,
  index: number,
  steps: readonly WrittenStep[],
): FieldViolation[] {
  const names = new Set(steps.map((step) => step.name));
  const unknown = (one: string): string =>
    `"${one}" is no step here; there are ${[...names].join(', ')}`;
  return [
    ...inputs.flatMap((input, i) => {
      const field = `steps[${index}].inputs[${i}]`;
      return [
        ...when(input !== MESSAGE_INPUT && !names.has(input), field, unknown(input)),
        ...when(input === name && input !== MESSAGE_INPUT, field, 'is the step itself'),
        ...when(inputs.indexOf(input) < i, field, `"${input}" is there twice`),
      ];
    }),
    ...after.flatMap(({ step }, i) => {
      const field = `steps[${index}].after[${i}].step`;
      const first = after.findIndex((each) => each.step === step);
      return [
        ...when(!names.has(step), field, unknown(step)),
        ...when(step === name, field, 'is the step itself'),
        ...when(first < i, field, `"${step}" is there twice`),
      ];
    }),
  ];
}

/** Cycles; without any: steps that take what they do not wait for, and those that can never begin. */
function graphProblems(resolved: readonly ResolvedStep[]): FieldViolation[] {
  // A step that names itself is reported where it does.
  const others = resolved.map((step) => ({
    ...step,
    after: step.after.filter((each) => each.step !== step.name),
  }));
  const { cycles } = orderSteps(others);
  if (cycles.length > 0) {
    return cycles.map((cycle) => ({
      field: 'steps',
      description: `wait for each other: ${[...cycle, cycle[0]].join(' -> ')}`,
    }));
  }
  const byName = new Map(others.map((step) => [step.name, step]));
  return others.flatMap((step, index) => beginProblems(step, index, byName));
}

function beginProblems(
  step: ResolvedStep,
  index: number,
  byName: ReadonlyMap<string, ResolvedStep>,
): FieldViolation[] {
  const before = outcomesBefore(step, byName);
  const early = step.inputs.flatMap((input, i) =>
    input.from === 'step' && byName.has(input.step) && input.step !== step.name
      ? when(
          !before.has(input.step),
          `steps[${index}].inputs[${i}]`,
          `takes from "${input.step}", but the step does not begin after it: name it in after`,
        )
      : [],
  );
  const torn = [...before].find(([, ways]) => ways.has('completed') && ways.has('failed'));
  return [
    ...early,
    ...when(
      torn !== undefined,
      `steps[${index}]`,
      `can never begin: "${torn?.[0]}" would have to complete and to fail`,
    ),
  ];
}

function sizeProblems(steps: readonly WrittenStep[]): FieldViolation[] {
  const most = steps.reduce((sum, step) => sum + mostAgents(step), 0);
  const { delegations } = COMPOSITE_LIMITS;
  return [
    ...when(
      steps.every(({ result }) => result === false),
      'steps',
      'give no result: every one says result false',
    ),
    ...when(
      most > delegations,
      'steps',
      `may ask ${most} agents, which is over the limit of ${delegations}: give maxAgents`,
    ),
  ];
}

/** Every step that begins sends at least one message. */
function callProblems(
  resolved: readonly ResolvedStep[],
  maxCalls: CompositeDefinition['maxCalls'],
): FieldViolation[] {
  if (maxCalls === null) return [];
  const first = resolved.filter(({ after }) => after.length === 0).length;
  if (maxCalls < first) {
    return when(true, 'maxCalls', `is ${maxCalls}, but ${first} steps begin at once`);
  }
  const calls = leastCalls(resolved);
  return when(maxCalls < calls, 'maxCalls', `is ${maxCalls}, but the steps need ${calls} at least`);
}

/**
 * The fewest messages with which the plan completes: the first ones of each step that has to complete
 * whenever the plan does. That is one that is not optional and begins in every such case: it waits for
 * nothing but steps of this kind, and not for the failure of one. Within a cycle no step is of this kind.
 */
function leastCalls(resolved: readonly ResolvedStep[]): number {
  const needed = new Set<string>();
  let calls = 0;
  for (const { name, written, after } of orderSteps(resolved).ordered) {
    const begins = after.every(({ step, outcome }) => outcome !== 'failed' && needed.has(step));
    if (written.optional === true || !begins) continue;
    needed.add(name);
    calls += written.require === 'quorum' ? (written.quorum ?? 1) : 1;
  }
  return calls;
}

/** How many agents a step may have at work: those that take over in turn are not counted. */
function mostAgents({ strategy = 'one', agentId, maxAgents }: WrittenStep): number {
  if (asksInTurn(strategy) || agentId !== undefined) return 1;
  return maxAgents ?? COMPOSITE_LIMITS.maxAgents;
}

function when(holds: boolean, field: string, description: string): FieldViolation[] {
  return holds ? [{ field, description }] : [];
}
