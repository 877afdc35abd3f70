import { policyOf } from '../../domain/strategy/step-policies.js';
import type { CompositeSkill, StepTemplate } from '../../domain/composite-skill.js';
import { COMPOSITE_LIMITS, type Composite, type CompositeDefinition } from './composite.js';
import { orderSteps, resolveSteps, type ResolvedStep } from './step-graph.js';

/** A composite skill as routing takes it; its plan has been checked (`check-definition.ts`). */
export function compositeSkillOf(composite: Composite): CompositeSkill {
  const { id, version, name, description, deadlineSeconds, maxCalls } = composite;
  return {
    skill: {
      id,
      name,
      description,
      tags: [...composite.tags],
      examples: [...composite.examples],
      inputModes: [...composite.inputModes],
      outputModes: [...composite.outputModes],
      securityRequirements: [],
    },
    version,
    steps: templatesOf(composite),
    ...(deadlineSeconds !== null && { deadlineMs: milliseconds(deadlineSeconds) }),
    ...(maxCalls !== null && { maxCalls }),
  };
}

/** The steps in the order they run in, with their defaults. */
export function templatesOf({ steps }: Pick<CompositeDefinition, 'steps'>): StepTemplate[] {
  return orderSteps(resolveSteps(steps)).ordered.map(templateOf);
}

function templateOf({ name, written, inputs, after, isResult }: ResolvedStep): StepTemplate {
  const { agentId, skillId, tags, match, strategy = 'one', quorum, deadlineSeconds } = written;
  return {
    name,
    target: {
      ...(agentId !== undefined && { agentId }),
      ...(skillId !== undefined && { skillId }),
      ...(tags !== undefined && { tags }),
      ...(match !== undefined && { match }),
    },
    strategy,
    require: written.require ?? 'all',
    ...(quorum !== undefined && { quorum }),
    ...(policyOf(strategy).fansOut && {
      maxAgents: written.maxAgents ?? COMPOSITE_LIMITS.maxAgents,
    }),
    inputs,
    after,
    ...(deadlineSeconds !== undefined && { deadlineMs: milliseconds(deadlineSeconds) }),
    isResult,
    isOptional: written.optional ?? false,
  };
}

function milliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}
