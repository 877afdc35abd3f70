import type { Schema } from '../../../api/client';

/** A rule that is being written: anything may be missing yet. */
export interface RuleDraft {
  readonly id?: string;
  readonly name?: string;
  readonly position?: number;
  readonly enabled?: boolean;
  readonly conditions?: Partial<Schema<'RuleConditionsDto'>>;
  readonly target?: Partial<Schema<'RuleTargetDto'>>;
}

export const NEW_RULE: RuleDraft = { name: '', conditions: {}, target: { agentId: '' } };

/** What is written of a rule, without what the hub adds. */
export function writtenOf({
  id,
  name,
  enabled,
  conditions,
  target,
}: Omit<Schema<'RuleVersionDto'>, 'version' | 'createdAt'>): RuleDraft {
  return { id, name, enabled, conditions, target };
}

/** What a target of a rule names. */
export const TARGET_KINDS = [
  { value: 'agentId', label: 'An agent' },
  { value: 'skillId', label: 'A skill' },
  { value: 'tags', label: 'Agents with tags' },
  { value: 'composite', label: 'A composite skill' },
  { value: 'reject', label: 'Nobody: refuse it' },
] as const;

export type TargetKind = (typeof TARGET_KINDS)[number]['value'];

export function kindOfTarget(target: RuleDraft['target'] = {}): TargetKind {
  return TARGET_KINDS.find(({ value }) => target[value] !== undefined)?.value ?? 'agentId';
}

/** A target of another kind, with what else it says as far as that goes with it. */
export function withKind(target: RuleDraft['target'] = {}, kind: TargetKind): RuleDraft['target'] {
  const { strategy, require, quorum, maxAgents, deadlineSeconds, maxCalls } = target;
  if (kind === 'reject') return { reject: '' };
  return {
    [kind]: kind === 'tags' ? [] : '',
    ...(kind !== 'composite' && { strategy, require, quorum, maxAgents }),
    deadlineSeconds,
    maxCalls,
  };
}

type Scalar = string | number | boolean;

/** A value of the metadata as one types it: what would be read as a number, true or false is quoted. */
export function typedOf(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  return typeof scalarOf(value) === 'string' ? value : JSON.stringify(value);
}

export function scalarOf(typed: string): Scalar {
  if (!/^(true|false|-?\d+(\.\d+)?|".*")$/.test(typed)) return typed;
  try {
    return JSON.parse(typed) as Scalar;
  } catch {
    // Such as 007, or what has two quoted words in it.
    return typed;
  }
}
