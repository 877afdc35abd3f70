import { describe, expect, it } from '@jest/globals';
import { keptOf, roomIn } from './fair-share.js';

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
    expect(keptOf(most, several)).toBe(kept);
  });
});

describe('the room of an organization', () => {
  it.each([
    ['alone: all but what is kept', { left: 100, kept: 6, held: 0 }, 94],
    ['greedy: nothing of what is kept', { left: 6, kept: 6, held: 94 }, 0],
    ['newcomer: its part of what is kept', { left: 40, kept: 40, held: 0 }, 10],
    ['newcomer with some of its part', { left: 33, kept: 40, held: 7 }, 3],
    ['newcomer with its part', { left: 30, kept: 40, held: 10 }, 0],
    ['one is kept of four', { left: 1, kept: 1, held: 0 }, 1],
    ['none is left', { left: 0, kept: 1, held: 0 }, 0],
    ['more taken than there are', { left: -3, kept: 1, held: 0 }, 0],
    ['nothing is kept', { left: 2, kept: 0, held: 9 }, 2],
    ['without a limit', { left: Infinity, kept: 0, held: 9 }, Infinity],
  ])('%s', (_, share, room) => {
    expect(roomIn(share)).toBe(room);
  });
});
