import { describe, expect, it } from '@jest/globals';
import { type ScheduledKey, dueKey, keyState, signingKey } from './key-schedule.js';

const DAY = 86_400_000;
const ROTATION = { rotateEveryMs: 90 * DAY, overlapMs: 7 * DAY };

describe('the key that signs', () => {
  it('is the latest whose time has come', () => {
    const keys = [key(1, 0), key(2, 10), key(3, 20)];
    expect(signingKey(keys, day(15))).toBe(keys[1]);
    expect(signingKey(keys, day(20))).toBe(keys[2]);
    expect(signingKey([], day(1))).toBeUndefined();
  });

  it('is none when that one is revoked: an earlier key does not come back', () => {
    expect(signingKey([key(1, 0), key(2, 10, 11)], day(15))).toBeUndefined();
  });

  it('stays the one that was made at once when the turn of an earlier one comes', () => {
    const keys = [key(1, 0), key(2, 10), key(3, 5)];
    expect(signingKey(keys, day(15))).toBe(keys[2]);
  });
});

describe('the states of a key', () => {
  const keys = [key(1, 0), key(2, 10), key(3, 20)];
  const states = (at: number): string[] =>
    keys.map((each) => keyState(each, keys, day(at), ROTATION));

  it('follow each other, with the overlap after its end', () => {
    expect(states(5)).toEqual(['signing', 'next', 'next']);
    expect(states(10)).toEqual(['retired', 'signing', 'next']);
    expect(states(16.9)).toEqual(['retired', 'signing', 'next']);
    expect(states(17)).toEqual(['expired', 'signing', 'next']);
    expect(states(20)).toEqual(['expired', 'retired', 'signing']);
  });

  it('end at once with a revocation', () => {
    const all = [key(1, 0, 12), key(2, 10)];
    expect(keyState(all[0]!, all, day(12), ROTATION)).toBe('revoked');
  });

  it('pass by a key that never had its turn', () => {
    const all = [key(1, 0), key(2, 10), key(3, 5)];
    expect(all.map((each) => keyState(each, all, day(6), ROTATION))).toEqual([
      'retired',
      'retired',
      'signing',
    ]);
    expect(keyState(all[1]!, all, day(12), ROTATION)).toBe('expired');
  });
});

describe('the key that is due', () => {
  it('is one that signs at once when there is none', () => {
    expect(dueKey([], day(3), ROTATION)).toEqual(day(3));
    expect(dueKey([key(1, 0, 2)], day(3), ROTATION)).toEqual(day(3));
  });

  it('is published for the overlap before its turn', () => {
    const keys = [key(1, 0)];
    expect(dueKey(keys, day(82.9), ROTATION)).toBeUndefined();
    expect(dueKey(keys, day(83), ROTATION)).toEqual(day(90));
  });

  it('is published as long when no one looked in time', () => {
    expect(dueKey([key(1, 0)], day(200), ROTATION)).toEqual(day(207));
  });

  it('is none while the next one waits, unless that is revoked', () => {
    expect(dueKey([key(1, 0), key(2, 90)], day(85), ROTATION)).toBeUndefined();
    expect(dueKey([key(1, 0), key(2, 90, 84)], day(85), ROTATION)).toEqual(day(92));
  });
});

function key(generation: number, signsFrom: number, revokedAt?: number): ScheduledKey {
  return {
    generation,
    signsFrom: day(signsFrom),
    revokedAt: revokedAt === undefined ? null : day(revokedAt),
  };
}

function day(number: number): Date {
  return new Date(number * DAY);
}
