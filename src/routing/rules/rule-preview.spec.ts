import { describe, expect, it } from '@jest/globals';
import { aRule } from './domain/fake-rules.js';
import { RULE_LIMITS, type Rule } from './domain/rule.js';
import { RuleSet } from './domain/rule-set.js';
import { RulePreview } from './rule-preview.js';
import type { RuleRegistry } from './rule-registry.js';
import type { RuleStore } from './rule-store.js';
import type { RuleTargets } from './rule-targets.js';

/** Previews beside these rules of the API, whatever agents there are. */
function previewBeside(rules: readonly Rule[]): RulePreview {
  const store: Pick<RuleStore, 'all'> = { all: () => Promise.resolve([...rules]) };
  const registry: Pick<RuleRegistry, 'declaredIds' | 'current'> = {
    declaredIds: () => new Set(),
    current: () => new RuleSet(rules),
  };
  const targets: Pick<RuleTargets, 'unknown' | 'problems'> = {
    unknown: () => [],
    problems: () => () => undefined,
  };
  return new RulePreview(store as RuleStore, registry as RuleRegistry, targets as RuleTargets);
}

const full = Array.from({ length: RULE_LIMITS.rules }, (_, index) => aRule(`r${index}`));
const written = { name: 'Rule', target: { reject: 'No.' } };

describe('a rule beside as many as there may be', () => {
  it('cannot be made', async () => {
    const { valid, problems } = await previewBeside(full).of(written, undefined);
    expect(valid).toBe(false);
    expect(problems).toEqual([
      {
        field: 'position',
        description: 'would be one too many: there are 500 rules, the most there may be',
      },
    ]);
  });

  it('can take the place of one of them', async () => {
    const { valid } = await previewBeside(full).of({ ...written, position: 500 }, 'r7');
    expect(valid).toBe(true);
  });

  it('can be the last one', async () => {
    const { valid } = await previewBeside(full.slice(1)).of({ ...written, id: 'r0' }, undefined);
    expect(valid).toBe(true);
  });
});
