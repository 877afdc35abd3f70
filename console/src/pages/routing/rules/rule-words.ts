import type { Schema } from '../../../api/client';

type Rule = Schema<'RuleDto'>;

/** One condition of a rule in words. */
export interface ConditionInWords {
  readonly what: string;
  readonly value: string;
}

/** What a rule matches. */
export function conditionsInWords(conditions: Partial<Rule['conditions']>): ConditionInWords[] {
  const { organizations, scopes, inputTypes, tags, tagMatch, text, metadata } = conditions;
  return [
    ...one(organizations, 'the organization is', or),
    ...one(scopes, 'the caller holds', or),
    ...one(inputTypes, 'a part is', or),
    ...one(tags, 'it asks for', (each) => (tagMatch === 'all' ? and(each) : or(each))),
    ...one(metadata, '', (each) => Object.entries(each)).flatMap(({ value }) =>
      value.map(([path, wanted]) => ({
        what: `metadata ${path} is`,
        value: or(Array.isArray(wanted) ? wanted.map(String) : [String(wanted)]),
      })),
    ),
    ...one(
      text,
      'the text has',
      ({ pattern, ignoreCase }) => `/${pattern}/${ignoreCase ? 'i' : ''}`,
    ),
  ];
}

/** Where a rule sends what it matches. */
export function targetInWords(target: Partial<Rule['target']>): string {
  const { agentId, skillId, tags, match, composite, reject } = target;
  if (reject !== undefined) return `refused: “${reject}”`;
  if (agentId !== undefined) return agentId;
  if (skillId !== undefined) return `skill ${skillId}`;
  if (composite !== undefined) return `composite skill ${composite}`;
  if (tags !== undefined) return `agents tagged ${match === 'any' ? or(tags) : and(tags)}`;
  return 'nowhere yet';
}

/** How those of the target are asked. */
export function howInWords(target: Partial<Rule['target']>): string | null {
  const { strategy, require, quorum, maxAgents, deadlineSeconds, maxCalls } = target;
  const parts = [
    strategy === 'all' && (require === 'quorum' ? `all, ${quorum ?? '?'} must complete` : 'all'),
    strategy === 'all' && require === 'any' && 'one must complete',
    strategy === 'all' && require === 'best-effort' && 'best effort',
    strategy === 'first' && 'the first that completes',
    maxAgents !== undefined && `at most ${maxAgents} agents`,
    deadlineSeconds !== undefined && `within ${deadlineSeconds} s`,
    maxCalls !== undefined && `at most ${maxCalls} calls`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : parts.join(', ');
}

function one<T, V>(value: T | undefined, what: string, inWords: (value: T) => V) {
  return value === undefined ? [] : [{ what, value: inWords(value) }];
}

function or(values: readonly string[]): string {
  return values.join(' or ');
}

function and(values: readonly string[]): string {
  return values.join(' and ');
}
