import fc from 'fast-check';
import type { StreamResponse } from '../../protocol/a2a.js';
import { isEnded } from './delegation-state.js';
import { chunk, snapshot, status, statusOf } from './fake-events.js';
import { type FakeTask } from './fake-task.js';

/** What one agent sends, in its order, to its end. */
export type Script = readonly StreamResponse[];

export const ending = fc.constantFrom(
  status('completed', 'done'),
  status('completed'),
  status('failed', 'broken'),
  status('rejected'),
  status('canceled'),
  snapshot({ status: statusOf('completed') }),
);

const step = fc.oneof(
  fc
    .record({
      id: fc.constantFrom('x', 'y'),
      text: fc.string(),
      append: fc.boolean(),
      lastChunk: fc.boolean(),
    })
    .map(({ id, text, append, lastChunk }) => chunk(id, text, { append, lastChunk })),
  fc.string().map((text) => status('working', text)),
  fc.constantFrom(status('submitted'), status('auth', 'log in'), status('input', 'which one?')),
);

export const script: fc.Arbitrary<Script> = fc
  .tuple(fc.array(step, { maxLength: 5 }), ending)
  .map(([steps, end]) => [...steps, end]);

export const scripts = fc.tuple(script, script, script);

/** Which agent speaks next, as often as numbers last; after them the first that can. */
export const order = fc.array(fc.nat(5), { maxLength: 25 });

/** Whether the agent says at its end that it completed. */
export function completes(events: Script): boolean {
  const payload = events.at(-1)?.payload;
  if (payload?.$case !== 'statusUpdate' && payload?.$case !== 'task') return false;
  return payload.value.status?.state === statusOf('completed').state;
}

/**
 * Lets agents speak in this order, each in its own, from when the hub has asked it until it has nothing
 * more to say or nobody listens. `after` is called when what an agent said has been committed.
 */
export function play(
  task: FakeTask,
  said: Readonly<Record<string, Script>>,
  turns: readonly number[],
  after: () => void = () => undefined,
): FakeTask {
  const rest = new Map(Object.entries(said).map(([agent, events]) => [agent, [...events]]));
  const speakers = (): string[] =>
    task.aggregate.delegations.flatMap(({ agentId, state }) =>
      state === 'planned' || isEnded(state) || !rest.get(agentId)?.length ? [] : [agentId],
    );
  const queue = [...turns];
  for (let able = speakers(); able.length > 0; able = speakers()) {
    const agent = able[(queue.shift() ?? 0) % able.length] as string;
    const event = rest.get(agent)?.shift();
    if (task.delegation(agent).state === 'queued') task.claim(agent);
    if (event) task.agent(event, agent);
    after();
  }
  return task;
}
