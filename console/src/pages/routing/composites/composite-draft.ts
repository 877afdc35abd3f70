import type { Schema } from '../../../api/client';

export type StepDraft = Partial<Schema<'CompositeStepDto'>>;

/** A composite skill that is being written: anything may be missing yet. */
export type CompositeDraft = Partial<Omit<Schema<'CreateCompositeDto'>, 'steps'>> & {
  readonly steps?: readonly StepDraft[];
};

export const NEW_COMPOSITE: CompositeDraft = {
  id: '',
  name: '',
  description: '',
  tags: [],
  steps: [{ name: 'first', agentId: '' }],
};

type Saved = Schema<'CompositeVersionDto'>;

/** What is written of a composite skill, without what the hub adds. */
export function writtenOf({
  id,
  name,
  description,
  tags,
  examples,
  inputModes,
  outputModes,
  organizations,
  enabled,
  deadlineSeconds,
  maxCalls,
  steps,
}: Saved): CompositeDraft {
  return {
    id,
    name,
    description,
    tags,
    examples,
    inputModes,
    outputModes,
    organizations,
    enabled,
    deadlineSeconds,
    maxCalls,
    steps,
  };
}

/** The steps as far as they have the form of steps: as JSON they may be anything while they are typed. */
export function stepsOf({ steps }: CompositeDraft): readonly StepDraft[] {
  if (!Array.isArray(steps)) return [];
  return (steps as unknown[]).filter(
    (step): step is StepDraft => typeof step === 'object' && step !== null,
  );
}
