import { describe, expect, it } from '@jest/globals';
import { type PrincipalStatus, type OnBehalf, holdOf } from './hold.js';

const LACKS_NOTHING: PrincipalStatus = {
  organization: 'acme',
  disabledAt: null,
  organizationDisabledAt: null,
  keylessSince: null,
  narrowSince: null,
  plainSince: null,
};
const GRACE_MS = 1000;
const ALL: readonly OnBehalf[] = [
  { scope: 'task', organization: 'acme' },
  { scope: 'own', organization: 'acme' },
  { scope: 'organization', organization: 'acme' },
  { scope: 'organization', organization: 'other' },
];
const ON_FOREIGN: OnBehalf = { scope: 'task', organization: 'other' };

function holds(status: Partial<PrincipalStatus>, at: number): unknown[] {
  return ALL.map((work) => holdOf({ ...LACKS_NOTHING, ...status }, work, new Date(at), GRACE_MS));
}

describe('holdOf', () => {
  it('holds nothing of a principal that lacks nothing', () => {
    expect(holds({}, 9e9)).toEqual([null, null, null, null]);
  });

  it('holds all of a disabled one from that moment on', () => {
    const all = ALL.map(() => 'principal-disabled');
    expect(holds({ disabledAt: 5000 }, 5000)).toEqual(all);
    expect(holds({ disabledAt: 5000, keylessSince: 1 }, 5000)).toEqual(all);
  });

  it('says so when it is the organization that is disabled', () => {
    const all = ALL.map(() => 'organization-disabled');
    expect(holds({ disabledAt: 5000, organizationDisabledAt: 5000 }, 5000)).toEqual(all);
  });

  it('holds what has no end once the last key is gone for the grace', () => {
    const none = { keylessSince: 5000, narrowSince: 5000, plainSince: 5000 };
    expect(holds(none, 5999)).toEqual([null, null, null, null]);
    const held = [null, 'no-valid-key', 'no-valid-key', 'no-valid-key'];
    expect(holds(none, 6000)).toEqual(held);
  });

  it('holds what no key that is left could ask for', () => {
    expect(holds({ narrowSince: 5000, plainSince: 5000 }, 6000)).toEqual([
      null,
      null,
      'scope-lost',
      'scope-lost',
    ]);
    expect(holds({ plainSince: 5000 }, 6000)).toEqual([null, null, null, 'scope-lost']);
  });

  it('holds what is for a task of another organization at once', () => {
    const of = (status: Partial<PrincipalStatus>): unknown =>
      holdOf({ ...LACKS_NOTHING, ...status }, ON_FOREIGN, new Date(5000), GRACE_MS);
    expect([of({}), of({ narrowSince: 5000 })]).toEqual([null, null]);
    expect(of({ plainSince: 5000 })).toBe('scope-lost');
    expect(of({ plainSince: 5000, disabledAt: 5000 })).toBe('principal-disabled');
  });
});
