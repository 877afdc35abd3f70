import { describe, expect, it } from '@jest/globals';
import { AgentQuirks } from './agent-quirks.js';

const agent = (id: string, originalCard = '{}') => ({ id, originalCard });

function start(...ids: string[]) {
  const registered = new Map(ids.map((id) => [id, agent(id)]));
  const logged: object[] = [];
  const clock = {
    time: 0,
    now: () => new Date(clock.time),
  };
  const log = { info: (fields: object) => void logged.push(fields) };
  const registry = { get: (id: string) => registered.get(id) };
  const quirks = new AgentQuirks(registry as never, clock as never, log as never);
  return { quirks, registered, logged, clock };
}

describe('the quirks of agents', () => {
  it('are kept since when they were first seen, and logged once for each kind and agent', () => {
    const { quirks, logged, clock } = start('a', 'b');
    quirks.note(agent('a'), 'other-form');
    const since = clock.now();
    clock.time += 1000;
    for (let n = 0; n < 5; n++) quirks.note(agent('a'), 'other-form');
    quirks.note(agent('a'), 'message-in-task');
    quirks.note(agent('b'), 'other-form');
    expect(quirks.of(agent('a'))).toEqual([
      { kind: 'other-form', since },
      { kind: 'message-in-task', since: clock.now() },
    ]);
    expect(logged).toEqual([
      { agentId: 'a', quirk: 'other-form' },
      { agentId: 'a', quirk: 'message-in-task' },
      { agentId: 'b', quirk: 'other-form' },
    ]);
  });

  it('begin anew with another card; what was begun under the one before adds nothing', () => {
    const { quirks, registered } = start('a');
    quirks.note(agent('a'), 'other-form');
    registered.set('a', agent('a', '{"new":1}'));
    expect(quirks.of(agent('a', '{"new":1}'))).toEqual([]);
    quirks.note(agent('a'), 'message-in-task');
    quirks.note(agent('a', '{"new":1}'), 'task-after-end');
    expect(quirks.of(agent('a', '{"new":1}')).map(({ kind }) => kind)).toEqual(['task-after-end']);
  });

  it('end with the agent, and are not noted of one that is gone', () => {
    const { quirks, registered, logged } = start('a', 'b');
    quirks.note(agent('a'), 'other-form');
    registered.delete('a');
    quirks.note(agent('a'), 'message-in-task');
    quirks.note(agent('b'), 'other-form');
    registered.set('a', agent('a'));
    expect(quirks.of(agent('a'))).toEqual([]);
    expect(logged).toHaveLength(2);
  });
});
