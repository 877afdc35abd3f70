import type { RuleQuestion } from '../../domain/rule-decision.js';
import type { Rule } from './rule.js';

/** A rule of the tests: it applies to everything and rejects, unless changed. */
export function aRule(id: string, changes: Partial<Rule> = {}): Rule {
  return {
    id,
    version: 1,
    name: id,
    enabled: true,
    conditions: {},
    target: { reject: 'No.' },
    source: 'api',
    createdAt: new Date(1_700_000_000_000),
    updatedAt: new Date(1_700_000_000_001),
    ...changes,
  };
}

/** A plain text of an ordinary client of the organization `acme`. */
export function aQuestion(changes: Partial<RuleQuestion> = {}): RuleQuestion {
  return {
    principal: { id: 'p', organization: 'acme', scopes: new Set(['a2a']) },
    tags: [],
    inputTypes: ['text/plain'],
    text: 'Where is my invoice?',
    metadata: {},
    ...changes,
  };
}
