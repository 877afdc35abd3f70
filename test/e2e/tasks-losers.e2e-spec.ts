import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskState, type Task } from '../../src/protocol/a2a.js';
import type { ConfigOverrides } from '../../src/config/index.js';
import { statusUpdate } from '../../src/protocol/build.js';
import { FakeAgent, type FakeAgentOptions, type Script } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, collect, HubTasks } from '../support/hub-tasks.js';

const COMPLETED = TaskState.TASK_STATE_COMPLETED;

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  expect(hub.output.errors).toEqual([]);
  await hub.database.close();
});

const winner = (): FakeAgent => new FakeAgent('winner', (turn) => turn.task());
const loser = (script: Script, options: FakeAgentOptions = {}): FakeAgent =>
  new FakeAgent('loser', script, options);

/** A race between these agents, in which both have the message. */
async function race(...agents: FakeAgent[]): Promise<Task> {
  hub = await HubTasks.start({ agents });
  const task = await hub.begin('go', { directive: { strategy: 'first' } });
  await eventually(() => agents.forEach((agent) => agent.turn));
  return task;
}

function win(agent: FakeAgent): void {
  agent.turn.chunk('won', { last: true });
  agent.turn.completed();
}

function isCanceled(agent: FakeAgent): boolean {
  return agent.snapshot(agent.turn.taskId).status?.state === TaskState.TASK_STATE_CANCELED;
}

/** The first process is gone without a word, and the next one begins. */
async function killed(config: ConfigOverrides = {}): Promise<void> {
  const before = hub;
  before.store.release = () => Promise.resolve();
  const stopped = before.runner.stop();
  hub = await before.successor({ config });
  await stopped;
}

describe('the loser of a race', () => {
  it('is told once it works, and nothing of it is shown', async () => {
    const agents = [winner(), loser((turn) => turn.chunk('lost', { last: true }))] as const;
    const { id } = await race(...agents);
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    win(agents[0]);
    const task = await hub.until(id, COMPLETED);
    expect(artifactTexts(task)).toEqual(['won']);
    await eventually(() => expect(isCanceled(agents[1])).toBe(true));
    expect(agents[1].called('cancel')).toBe(1);
    expect(await hub.kinds(id)).toContain('held');
    const replay = await collect(hub.service.subscribe(id, hub.request('', { lastEventId: 0 })));
    expect(replay.filter((line) => line.includes('lost'))).toEqual([]);
    expect(replay).toContain('artifact won');
  });

  it.each([true, false])(
    'is told as well when its task becomes known only later (streaming: %s)',
    async (streaming) => {
      const agents = [winner(), loser(() => undefined, { streaming })] as const;
      const { id } = await race(...agents);
      win(agents[0]);
      await hub.until(id, COMPLETED);
      expect(agents[1].called('cancel')).toBe(0);
      agents[1].turn.working('only now');
      await eventually(() => expect(isCanceled(agents[1])).toBe(true));
    },
  );

  it('is told by the next process when this one is killed before', async () => {
    const agents = [winner(), loser((turn) => turn.working())] as const;
    const { id } = await race(...agents);
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    agents[1].onCancel = 'silent';
    win(agents[0]);
    await hub.until(id, COMPLETED);
    await eventually(() => expect(agents[1].called('cancel')).toBe(1));
    agents[1].onCancel = 'cancel';
    await killed();
    await eventually(() => expect(isCanceled(agents[1])).toBe(true));
  });

  it('is found by its message when the process was killed before it said its task', async () => {
    const agents = [winner(), loser(() => undefined)] as const;
    const { id } = await race(...agents);
    win(agents[0]);
    await hub.until(id, COMPLETED);
    await killed();
    await eventually(() => expect(isCanceled(agents[1])).toBe(true));
    await eventually(async () => {
      const stored = await hub.store.open(id);
      expect(stored?.aggregate.delegations[1]).toMatchObject({ cancelPending: false, owner: null });
    });
  });
});

describe('an agent whose delegation nobody runs as another one ends it', () => {
  it('is told by the next process, which had no place for it until then', async () => {
    const agents = ['a', 'b'].map((id) => new FakeAgent(id, () => undefined));
    await race(...agents);
    const rows = await hub.database.read<{ agent_id: string; task_id: string }>(
      'SELECT agent_id, task_id FROM delegations ORDER BY created_at, id',
    );
    // The one that is followed, as the oldest, completes.
    const first = agents.find(({ id }) => id === rows[0]!.agent_id)!;
    const second = agents.find((each) => each !== first)!;
    const { taskId, contextId } = first.turn;
    first.store(taskId, statusUpdate({ taskId, contextId }, COMPLETED, new Date()));
    await killed({ tasks: { maxConcurrent: 1 } });
    await hub.until(rows[0]!.task_id, COMPLETED);
    await eventually(() => expect(isCanceled(second)).toBe(true));
    expect(second.called('cancel')).toBe(1);
  });

  it('is told once, while it waits for its client', async () => {
    const agents = [
      new FakeAgent('gone', (turn) => turn.working()),
      new FakeAgent('asks', (turn) => turn.ask('which?')),
    ] as const;
    hub = await HubTasks.start({ agents });
    const { id } = await hub.begin('go', { directive: { strategy: 'all' } });
    await eventually(async () => {
      const stored = await hub.store.open(id);
      const states = stored?.aggregate.delegations.map(({ state }) => state);
      expect(states).toEqual(['working', 'input-required']);
    });
    hub.agents.delete('gone');
    await killed();
    await hub.until(id, TaskState.TASK_STATE_FAILED);
    await eventually(() => expect(isCanceled(agents[1])).toBe(true));
    await eventually(async () => {
      const stored = await hub.store.open(id);
      expect(stored?.aggregate.delegations[1]).toMatchObject({ cancelPending: false, owner: null });
    });
    expect(agents[1].called('cancel')).toBe(1);
  });
});

async function loserIn(taskId: string): Promise<string> {
  const stored = await hub.store.open(taskId);
  return stored?.aggregate.delegations[1]?.id ?? '';
}

describe.each([
  ['cannot be reached', { kind: 'unreachable' }],
  ['is away behind a balancer (503)', { kind: 'rejected', detail: { httpStatus: 503 } }],
  ['is too busy', { kind: 'rejected', detail: { httpStatus: 429 } }],
] as const)('an agent that %s', (message, refusal) => {
  it('is told when its turn comes again', async () => {
    const agents = [winner(), loser((turn) => turn.working())] as const;
    const { id } = await race(...agents);
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    agents[1].refusals.set('cancel', { ...refusal, message });
    win(agents[0]);
    await hub.until(id, COMPLETED);
    await eventually(async () => {
      const stored = await hub.store.open(id);
      expect(stored?.aggregate.delegations[1]).toMatchObject({ cancelPending: true, owner: null });
    });
    agents[1].refusals.clear();
    const delegations = [{ id: await loserIn(id), leaseUntil: new Date(0) }];
    await hub.log.update(id, () => ({ change: { events: [], delegations }, result: undefined }));
    await eventually(() => expect(isCanceled(agents[1])).toBe(true), 10_000);
  });
});
