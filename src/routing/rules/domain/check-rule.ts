import { policyOf, stepStrategiesThat } from '../../domain/strategy/step-policies.js';
import type { FieldViolation } from '../../../common/hub-error.js';
import { faultOfPattern } from './pattern.js';
import type { Rule, RuleAction } from './rule.js';

const DESTINATIONS = ['agentId', 'skillId', 'tags', 'composite', 'reject'] as const;
const OPTIONS = [
  'strategy',
  'require',
  'quorum',
  'maxAgents',
  'deadlineSeconds',
  'maxCalls',
] as const satisfies readonly (keyof RuleAction)[];

/** Everything about a rule that contradicts itself or cannot be used, by the path of its field. */
export function faultsOfRule({
  conditions,
  target,
}: Pick<Rule, 'conditions' | 'target'>): FieldViolation[] {
  const fault = conditions.text && faultOfPattern(conditions.text);
  return [
    ...(fault === undefined ? [] : [{ field: 'conditions.text.pattern', description: fault }]),
    ...(conditions.tagMatch !== undefined && conditions.tags === undefined
      ? [{ field: 'conditions.tagMatch', description: 'needs tags' }]
      : []),
    ...faultsOfTarget(target),
  ];
}

function faultsOfTarget(target: RuleAction): FieldViolation[] {
  const faults: FieldViolation[] = [];
  const expect = (holds: boolean, field: string, description: string): void => {
    if (!holds) faults.push({ field, description });
  };
  const { strategy = 'one', require, quorum, match, tags, composite, reject } = target;
  const given = DESTINATIONS.filter((name) => target[name] !== undefined);
  const list = DESTINATIONS.join(', ');
  const found = given.length === 0 ? 'has none' : `has ${given.join(' and ')}`;
  expect(given.length === 1, 'target', `must have exactly one of ${list}; it ${found}`);
  expect(match === undefined || tags !== undefined, 'target.match', 'needs tags');
  for (const option of OPTIONS) {
    if (target[option] === undefined) continue;
    expect(reject === undefined, `target.${option}`, 'has no meaning beside reject');
    const isLimit = option === 'deadlineSeconds' || option === 'maxCalls';
    expect(
      composite === undefined || isLimit,
      `target.${option}`,
      'has no meaning beside composite, which has a plan of its own',
    );
  }
  const { hasRequirement, fansOut } = policyOf(strategy);
  expect(
    require === undefined || hasRequirement,
    'target.require',
    `needs strategy ${stepStrategiesThat((policy) => policy.hasRequirement)}`,
  );
  expect(quorum === undefined || require === 'quorum', 'target.quorum', 'needs require quorum');
  expect(require !== 'quorum' || quorum !== undefined, 'target.quorum', 'must be given');
  const most = target.agentId === undefined ? target.maxAgents : 1;
  expect(
    quorum === undefined || most === undefined || quorum <= most,
    'target.quorum',
    `is ${quorum}, but no more than ${most} may be asked`,
  );
  expect(
    target.maxAgents === undefined || fansOut,
    'target.maxAgents',
    `needs strategy ${stepStrategiesThat((policy) => policy.fansOut)}`,
  );
  return faults;
}
