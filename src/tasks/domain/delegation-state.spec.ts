import { describe, expect, it } from '@jest/globals';
import type { Delegation } from '../task.js';
import { isMoved } from './delegation-state.js';
import { FakeTask } from './fake-task.js';

describe('isMoved', () => {
  const working = { state: 'working', downstreamTaskId: 'theirs' } as const;
  const before = { ...new FakeTask().delegation(), ...working };

  it.each<[string, Partial<Delegation>]>([
    ['the agent works on', { state: 'working', reason: 'half way' }],
    ['it waits for its client', { state: 'input-required' }],
    ['its progress', { progress: { artifacts: [] }, updatedAt: new Date(7) }],
  ])('is not so of %s', (_, change) => {
    expect(isMoved(before, { ...before, ...change })).toBe(false);
  });

  it.each<[string, Partial<Delegation>]>([
    ['its end', { state: 'completed' }],
    ['a place in the queue', { state: 'queued' }],
    ['a cancel that is pending', { cancelPending: true }],
    ['another deadline', { deadlineAt: new Date(7) }],
    ['another agent', { agentId: 'other' }],
    ['the task of the agent', { downstreamTaskId: 'other' }],
  ])('is so of %s', (_, change) => {
    expect(isMoved(before, { ...before, ...change })).toBe(true);
  });
});
