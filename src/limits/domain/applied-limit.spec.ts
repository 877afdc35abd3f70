import { describe, expect, it } from '@jest/globals';
import {
  type AppliedLimit,
  counterOf,
  isUsedUp,
  nameOf,
  periodEnd,
  periodOf,
  usedUp,
} from './applied-limit.js';
import { LIMIT_KINDS, NO_SUBJECT } from './limit.js';

const limit = (members: Partial<AppliedLimit>): AppliedLimit => ({
  ...{ subject: { ...NO_SUBJECT, organization: 'acme' }, kind: 'openTasks', max: 2, takes: 1 },
  ...members,
});

describe('a period', () => {
  it.each([
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T00:00:00.000Z', '2027-01-02T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
    ['2028-02-28T12:00:00.000Z', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ])('that %s is in ends where the next begins', (time, day, month) => {
    const now = new Date(time);
    for (const [kinds, end] of [
      [['tasksPerDay', 'budgetPerDay'], day],
      [['tasksPerMonth', 'budgetPerMonth'], month],
    ] as const) {
      for (const kind of kinds) {
        const over = periodEnd(kind, now)!;
        expect(over.toISOString()).toBe(end);
        expect(periodOf(kind, new Date(over.getTime() - 1))).toBe(periodOf(kind, now));
        expect(periodOf(kind, over)).toBe(periodOf(kind, now) + 1);
      }
    }
    expect([periodOf('openTasks', now), periodEnd('openTasks', now)]).toEqual([0, null]);
  });
});

describe('a limit', () => {
  it('has a counter of its own for each kind, subject and unit', () => {
    const subjects = [limit({}).subject, { ...NO_SUBJECT, agent: 'acme' }];
    const all = subjects.flatMap((subject) =>
      LIMIT_KINDS.flatMap((kind) =>
        [undefined, 'EUR', 'USD'].map((unit) =>
          counterOf({ subject, kind, ...(unit && { unit }) }),
        ),
      ),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it('is used up when what is taken goes beyond it, or nothing is left of what is known later', () => {
    expect([isUsedUp(limit({}), 1), isUsedUp(limit({}), 2)]).toEqual([false, true]);
    expect(isUsedUp(limit({ takes: 2 }), 1)).toBe(true);
    for (const kind of ['storedBytes', 'budgetPerDay', 'budgetPerMonth'] as const) {
      const each = limit({ kind, takes: 0 });
      expect([isUsedUp(each, 1.999), isUsedUp(each, 2)]).toEqual([false, true]);
    }
  });

  it('says whose it is, how much, and when it is free', () => {
    const now = new Date('2026-11-30T23:59:50.500Z');
    const skill = limit({
      subject: { ...NO_SUBJECT, organization: 'acme', skill: 'a.s' },
      ...{ kind: 'budgetPerMonth', unit: 'EUR' },
    });
    expect(nameOf(skill)).toBe('organization+skill.budgetPerMonth');
    expect(usedUp(skill, 2.5, now)).toMatchObject({
      message:
        'The quota organization+skill.budgetPerMonth is used up: at the skill "a.s" the organization "acme" has spent 2.5 EUR this month of 2. It begins anew with the next month (UTC).',
      metadata: { retryAfterSeconds: '10', agentId: 'a', skillId: 's', unit: 'EUR' },
      refusal: { limit: { kind: 'budgetPerMonth', organization: 'acme', skill: 'a.s' } },
    });
    const bytes = usedUp(limit({ kind: 'storedBytes' }), 3, now);
    expect(bytes.metadata).toEqual({ quota: 'organization.storedBytes', current: '3', limit: '2' });
  });
});
