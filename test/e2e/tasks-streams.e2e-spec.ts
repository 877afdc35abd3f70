import { afterEach, describe, expect, it } from '@jest/globals';
import { type Task, TaskState } from '../../src/protocol/a2a.js';
import type { StreamItem } from '../../src/tasks/reading/task-streams.js';
import { FakeAgent } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { BOB, collect, HubTasks, shown } from '../support/hub-tasks.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

async function start(...agents: FakeAgent[]): Promise<void> {
  hub = await HubTasks.start({ agents });
}

/** An agent that does nothing by itself: the test speaks for it. */
const puppet = (): FakeAgent => new FakeAgent('a', () => undefined);

async function next(stream: AsyncGenerator<StreamItem>): Promise<StreamItem> {
  const { value, done } = await stream.next();
  if (done) throw new Error('the stream has ended');
  return value;
}

const taskIdOf = ({ body }: StreamItem): string =>
  (JSON.parse(body as string) as { task: { id: string } }).task.id;

describe('a stream', () => {
  it('shows one task snapshot, then every update in order, and ends', async () => {
    const agent = new FakeAgent('a', (turn) => {
      turn.task();
      turn.working('one');
      turn.chunk('1');
      turn.chunk('2', { append: true });
      turn.chunk('3', { append: true, last: true });
      turn.completed('done');
    });
    await start(agent);
    const items: StreamItem[] = [];
    for await (const item of hub.service.sendStream(hub.request('go'))) items.push(item);
    expect(items.map(shown)).toEqual([
      'task SUBMITTED',
      'WORKING one',
      'artifact 1',
      'artifact 2',
      'artifact 3',
      'COMPLETED done',
    ]);
    const log = await hub.log.events(taskIdOf(items[0]!), 0, 100);
    expect(items.every(({ seq, body }) => log[seq - 1]?.body === body)).toBe(true);
  });

  it('is a single Message when the agent answers with one', async () => {
    await start(new FakeAgent('a', (turn) => turn.reply('hi')));
    expect(await collect(hub.service.sendStream(hub.request('go')))).toEqual(['message hi']);
  });

  it('waits only so long for the agent; a Message after that is an artifact', async () => {
    const agent = puppet();
    await start(agent);
    const stream = hub.service.sendStream(hub.request('go'));
    const began = Date.now();
    const first = await next(stream);
    expect(shown(first)).toBe('task SUBMITTED');
    expect(Date.now() - began).toBeGreaterThanOrEqual(190);
    agent.turn.reply('late');
    expect(await collect(stream)).toEqual(['artifact late', 'COMPLETED']);
  });

  it('is refused before its first item', async () => {
    await start(puppet());
    const stream = hub.service.sendStream(hub.request('go', { message: { taskId: 'unknown' } }));
    await expect(stream.next()).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });

  it('ends at input-required and stays open at auth-required', async () => {
    const agent = puppet();
    await start(agent);
    const stream = hub.service.sendStream(hub.request('go'));
    const first = next(stream);
    await eventually(() => agent.turn);
    agent.turn.status(TaskState.TASK_STATE_AUTH_REQUIRED, 'log in');
    expect(shown(await first)).toBe('task SUBMITTED');
    expect(shown(await next(stream))).toBe('AUTH_REQUIRED log in');
    const rest = collect(stream);
    agent.turn.working('thanks');
    agent.turn.ask('what else?');
    expect(await rest).toEqual(['WORKING thanks', 'INPUT_REQUIRED what else?']);
  });

  it('leaves the task running when its reader goes away', async () => {
    const agent = puppet();
    await start(agent);
    const stream = hub.service.sendStream(hub.request('go'));
    const first = await next(stream);
    await stream.return();
    agent.turn.completed();
    await hub.until(taskIdOf(first), TaskState.TASK_STATE_COMPLETED);
  });
});

describe('a subscription', () => {
  it('shows the task as of a seq and then the tail, without gap or duplicate', async () => {
    const agent = puppet();
    await start(agent);
    const { id } = await hub.begin('go');
    await eventually(() => agent.turn);
    for (let n = 1; n <= 5; n++) agent.turn.chunk(String(n), { append: n > 1 });
    await eventually(async () => expect(await hub.kinds(id)).toHaveLength(2 + 5));
    const streams = [1, 2, 3].map(() => hub.service.subscribe(id, hub.request('')));
    const firsts = await Promise.all(streams.map(next));
    for (const { seq, body } of firsts) {
      expect((body as Task).artifacts[0]?.parts).toHaveLength(5);
      expect(seq).toBe(7);
    }
    const rests = streams.map((stream) => collect(stream));
    for (let n = 6; n <= 300; n++) agent.turn.chunk(String(n), { append: true });
    agent.turn.completed();
    const expected = [
      ...Array.from({ length: 295 }, (_, index) => `artifact ${index + 6}`),
      'COMPLETED',
    ];
    for (const rest of rests) expect(await rest).toEqual(expected);
  });

  it('goes on after a seq, without a leading task, also on a finished task', async () => {
    const agent = new FakeAgent('a', (turn) => {
      turn.working('one');
      turn.chunk('1', { last: true });
      turn.completed();
    });
    await start(agent);
    const { id } = await hub.send('go');
    const from = (lastEventId: number): Promise<string[]> =>
      collect(hub.service.subscribe(id, hub.request('', { lastEventId })));
    expect(await from(0)).toEqual(['task SUBMITTED', 'WORKING one', 'artifact 1', 'COMPLETED']);
    expect(await from(3)).toEqual(['artifact 1', 'COMPLETED']);
    expect(await from(5)).toEqual([]);
    await expect(from(6)).rejects.toMatchObject({ reason: 'INVALID_PARAMS' });
  });

  it('replays through a question that was answered', async () => {
    const agent = new FakeAgent('a', (turn) =>
      turn.text === 'go' ? turn.ask('who?') : turn.completed('ok'),
    );
    await start(agent);
    const task = await hub.send('go');
    await hub.reply(task, 'me');
    const replay = await collect(
      hub.service.subscribe(task.id, hub.request('', { lastEventId: 0 })),
    );
    expect(replay).toEqual(['task SUBMITTED', 'INPUT_REQUIRED who?', 'WORKING', 'COMPLETED ok']);
  });

  it('of a finished task is refused without a seq', async () => {
    await start(new FakeAgent('a', (turn) => turn.completed()));
    const { id } = await hub.send('go');
    await expect(hub.service.subscribe(id, hub.request('')).next()).rejects.toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
    });
  });

  it('of a waiting task shows it, waits for the answer, and ends with the task', async () => {
    const agent = new FakeAgent('a', (turn) =>
      turn.text === 'go' ? turn.ask('who?') : turn.completed('ok'),
    );
    await start(agent);
    const task = await hub.send('go');
    const fresh = hub.service.subscribe(task.id, hub.request(''));
    const first = await next(fresh);
    expect(shown(first)).toBe('task INPUT_REQUIRED');
    const resumed = hub.service.subscribe(task.id, hub.request('', { lastEventId: first.seq }));
    const rests = [collect(fresh), collect(resumed)];
    await hub.reply(task, 'me');
    for (const rest of rests) expect(await rest).toEqual(['WORKING', 'COMPLETED ok']);
  });

  it('of a stranger is the same as of an unknown task', async () => {
    await start(puppet());
    const { id } = await hub.begin('go');
    const failures = await Promise.all(
      [id, 'unknown'].map((taskId) =>
        hub.service
          .subscribe(taskId, hub.request('', { principal: BOB }))
          .next()
          .catch((e: unknown) => e),
      ),
    );
    expect(failures.map((error) => (error as Error).message)).toEqual([
      'Task not found',
      'Task not found',
    ]);
  });

  it('ends when the process is going to stop', async () => {
    await start(puppet());
    const { id } = await hub.begin('go');
    const stream = hub.service.subscribe(id, hub.request(''));
    await next(stream);
    const rest = collect(stream);
    hub.draining.begin();
    expect(await rest).toEqual([]);
  });
});

describe('a slow reader', () => {
  it('holds up nobody and misses nothing', async () => {
    const agent = puppet();
    await start(agent);
    const stream = hub.service.sendStream(hub.request('go'));
    const first = await next(stream);
    for (let n = 1; n <= 1000; n++) agent.turn.chunk(String(n), { append: n > 1 });
    agent.turn.completed();
    await hub.until(taskIdOf(first), TaskState.TASK_STATE_COMPLETED);
    const rest = await collect(stream);
    expect(rest).toHaveLength(1001);
    expect(rest.at(-2)).toBe('artifact 1000');
  });
});
