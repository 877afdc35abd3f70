import { describe, expect, it } from '@jest/globals';
import { amountsOf, faultsOfLimit, NO_SUBJECT, shapeOf, subjectKey, targetOf } from './limit.js';

const NOTHING = {
  ...NO_SUBJECT,
  ...{ openTasks: null, tasksPerDay: null, tasksPerMonth: null, storedBytes: null },
  ...{ requestsPerSecond: null, budget: null },
};
const BUDGET = { unit: 'EUR', amount: 5, per: 'day' } as const;

describe('a subject', () => {
  it('has one text and one shape, and an agent where it names one', () => {
    const skill = { ...NO_SUBJECT, organization: 'a', skill: 'x.y.z' };
    expect(shapeOf(skill)).toBe('organization+skill');
    expect(targetOf(skill)).toEqual({ agentId: 'x', skillId: 'y.z' });
    expect(targetOf({ ...NO_SUBJECT, principal: 'p' })).toBeNull();
    expect(subjectKey({ ...NO_SUBJECT, organization: 'a","b' })).not.toBe(
      subjectKey({ ...NO_SUBJECT, organization: 'a', principal: 'b' }),
    );
  });
});

describe('amountsOf', () => {
  it('leaves out what is not limited, and what is 0', () => {
    expect(amountsOf({ ...NOTHING, openTasks: 0, tasksPerDay: 3, budget: BUDGET })).toEqual([
      { kind: 'tasksPerDay', max: 3 },
      { kind: 'budgetPerDay', max: 5, unit: 'EUR' },
    ]);
  });
});

describe('faultsOfLimit', () => {
  it('finds everything at once', () => {
    const all = { ...NOTHING, organization: 'o', principal: 'p', agent: 'a', skill: 'nodot' };
    const fields = faultsOfLimit({ ...all, storedBytes: 1 }).map(({ field }) => field);
    expect(fields).toEqual(['principal', 'skill', 'skill', 'storedBytes']);
    expect(faultsOfLimit(NOTHING).map(({ field }) => field)).toEqual(['organization', 'openTasks']);
    expect(faultsOfLimit({ ...NOTHING, agent: 'a', budget: BUDGET })).toEqual([]);
  });
});
