import { describe, expect, it } from '@jest/globals';
import { AgentDeviations } from './agent-deviations.js';

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
  const deviations = new AgentDeviations(registry as never, clock as never, log as never);
  return { deviations, registered, logged, clock };
}

describe('the deviations of agents', () => {
  it('are kept since when they were first seen, and logged once for each kind and agent', () => {
    const { deviations, logged, clock } = start('a', 'b');
    deviations.note(agent('a'), 'other-form');
    const since = clock.now();
    clock.time += 1000;
    for (let n = 0; n < 5; n++) deviations.note(agent('a'), 'other-form');
    deviations.note(agent('a'), 'message-in-task');
    deviations.note(agent('b'), 'other-form');
    expect(deviations.of(agent('a'))).toEqual([
      { kind: 'other-form', since },
      { kind: 'message-in-task', since: clock.now() },
    ]);
    expect(logged).toEqual([
      { agentId: 'a', deviation: 'other-form' },
      { agentId: 'a', deviation: 'message-in-task' },
      { agentId: 'b', deviation: 'other-form' },
    ]);
  });

  it('begin anew with another card; what was begun under the one before adds nothing', () => {
    const { deviations, registered } = start('a');
    deviations.note(agent('a'), 'other-form');
    registered.set('a', agent('a', '{"new":1}'));
    expect(deviations.of(agent('a', '{"new":1}'))).toEqual([]);
    deviations.note(agent('a'), 'message-in-task');
    deviations.note(agent('a', '{"new":1}'), 'task-after-end');
    expect(deviations.of(agent('a', '{"new":1}')).map(({ kind }) => kind)).toEqual([
      'task-after-end',
    ]);
  });

  it('end with the agent, and are not noted of one that is gone', () => {
    const { deviations, registered, logged } = start('a', 'b');
    deviations.note(agent('a'), 'other-form');
    registered.delete('a');
    deviations.note(agent('a'), 'message-in-task');
    deviations.note(agent('b'), 'other-form');
    registered.set('a', agent('a'));
    expect(deviations.of(agent('a'))).toEqual([]);
    expect(logged).toHaveLength(2);
  });
});
