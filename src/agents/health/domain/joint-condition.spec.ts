import { expect, it } from '@jest/globals';
import { jointCondition, type SeenCondition } from './joint-condition.js';

const seen = (what: string): SeenCondition => {
  const [health, breaker = 'closed', verdict = health] = what.split(' ');
  return { health, breaker, verdict, since: 1, lastError: null } as SeenCondition;
};
const joint = (own: string | null, others: readonly string[], calls: boolean): string => {
  const condition = jointCondition(own === null ? undefined : seen(own), others.map(seen), calls);
  return condition ? `${condition.health} ${condition.breaker}` : 'none';
};

it.each([
  // Nobody else has seen anything.
  ['healthy', [], false, 'healthy closed'],
  [null, [], true, 'none'],
  // One that calls no agents goes by those that do.
  ['healthy', ['down open'], false, 'down open'],
  ['down open', ['healthy'], false, 'healthy closed'],
  [null, ['degraded'], false, 'degraded closed'],
  // One that does goes by its own as well.
  ['unknown', ['healthy'], true, 'healthy closed'],
  ['down open', ['healthy', 'healthy', 'healthy'], true, 'down open'],
  ['healthy', ['down open'], true, 'down open'],
  ['healthy', ['degraded'], true, 'degraded closed'],
  // A few that cannot call it do not take it from the others.
  ['healthy', ['down half-open', 'healthy'], true, 'degraded closed'],
  [null, ['down open', 'healthy', 'degraded'], false, 'degraded closed'],
  [null, ['down open', 'down half-open', 'healthy'], false, 'down open'],
  [null, ['down open', 'healthy', 'unknown half-open'], false, 'unknown half-open'],
] as const)('own %s, others %j, calls itself %s: %s', (own, others, calls, wanted) => {
  expect(joint(own, others, calls)).toBe(wanted);
});

it('has the verdict of the one that sees its calls fail', () => {
  const others = [seen('healthy'), seen('healthy closed failing')];
  expect(jointCondition(undefined, others, false)).toMatchObject({ verdict: 'failing' });
});
