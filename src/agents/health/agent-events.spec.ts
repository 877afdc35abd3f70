import { describe, expect, it } from '@jest/globals';
import { SystemIdSource } from '../../common/ids.js';
import { type AgentChange, AgentEvents } from './agent-events.js';

const CHANGE: AgentChange = {
  agentId: 'a',
  health: 'down',
  breaker: 'open',
  before: { health: 'degraded', breaker: 'closed' },
  lastError: null,
  at: new Date(0),
};

function eventsWith(count: number): AgentEvents {
  const events = new AgentEvents(new SystemIdSource());
  for (let n = 0; n < count; n++) events.publish({ ...CHANGE, agentId: `a${n}` });
  return events;
}

describe('the events of agents', () => {
  it('reach listeners until they unsubscribe, and kept for who comes back', () => {
    const events = eventsWith(2);
    const heard: string[] = [];
    const leave = events.subscribe(({ change }) => heard.push(change.agentId));
    const before = events.newestId;
    events.publish({ ...CHANGE, agentId: 'new' });
    leave();
    events.publish({ ...CHANGE, agentId: 'newest' });
    expect(heard).toEqual(['new']);
    expect(events.after(before)?.map(({ change }) => change.agentId)).toEqual(['new', 'newest']);
    expect(events.after(events.newestId)).toEqual([]);
  });

  it('can be followed from before the first of them', () => {
    const events = eventsWith(0);
    const start = events.newestId;
    expect(events.after(start)).toEqual([]);
    events.publish(CHANGE);
    expect(events.after(start)).toHaveLength(1);
  });

  it('are not guessed where they are forgotten or were those of another process', () => {
    const events = eventsWith(1);
    const first = events.newestId;
    for (let n = 0; n < 1001; n++) events.publish(CHANGE);
    expect(events.after(first)).toBeUndefined();
    expect(events.after(eventsWith(1).newestId)).toBeUndefined();
    expect(events.after('nonsense')).toBeUndefined();
  });

  it('are listed newest first, in pages and of one agent', () => {
    const events = eventsWith(5);
    const first = events.newest(2);
    expect(first.map(({ change }) => change.agentId)).toEqual(['a4', 'a3']);
    events.publish({ ...CHANGE, agentId: 'a1' });
    const second = events.newest(9, undefined, first.at(-1)!.id);
    expect(second.map(({ change }) => change.agentId)).toEqual(['a2', 'a1', 'a0']);
    expect(events.newest(9, ({ agentId }) => agentId === 'a1')).toHaveLength(2);
    expect(events.isOwn(first[0]!.id)).toBe(true);
    expect(events.isOwn(eventsWith(1).newestId)).toBe(false);
    expect(events.isOwn('nonsense')).toBe(false);
  });
});
