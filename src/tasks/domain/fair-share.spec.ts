import { describe, expect, it } from '@jest/globals';
import { reservedOf, availableTo } from './fair-share.js';

describe('what is kept for newcomers', () => {
  it.each([
    [10_000, false, 625],
    [64, false, 4],
    [63, false, 0],
    [63, true, 3],
    [4, true, 1],
    [2, true, 1],
    [1, true, 0],
    [Infinity, true, 0],
  ])('of %s places, several organizations: %s', (most, several, kept) => {
    expect(reservedOf(most, several)).toBe(kept);
  });
});

describe('the permits available to an organization', () => {
  it.each([
    ['alone: all but what is kept', { free: 100, reserved: 6, held: 0 }, 94],
    ['greedy: nothing of what is kept', { free: 6, reserved: 6, held: 94 }, 0],
    ['newcomer: its part of what is kept', { free: 40, reserved: 40, held: 0 }, 10],
    ['newcomer with some of its part', { free: 33, reserved: 40, held: 7 }, 3],
    ['newcomer with its part', { free: 30, reserved: 40, held: 10 }, 0],
    ['one is kept of four', { free: 1, reserved: 1, held: 0 }, 1],
    ['none is left', { free: 0, reserved: 1, held: 0 }, 0],
    ['more taken than there are', { free: -3, reserved: 1, held: 0 }, 0],
    ['nothing is kept', { free: 2, reserved: 0, held: 9 }, 2],
    ['without a limit', { free: Infinity, reserved: 0, held: 9 }, Infinity],
  ])('%s', (_, share, available) => {
    expect(availableTo(share)).toBe(available);
  });
});
