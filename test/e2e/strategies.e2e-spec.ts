import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { RpcError } from '../support/app.js';
import { artifactTexts, userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import type { LiveTask } from '../support/live-task.js';
import { type Sent, Stage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start(['a', 'b', 'c', 'd'], { config: { agents: { cancelWaitMs: 2000 } } });
});
afterAll(() => stage?.close());

const all = (...ids: string[]): JsonObject => ({ tags: ids, match: 'any', strategy: 'all' });
const race = (...ids: string[]): JsonObject => ({ tags: ids, match: 'any', strategy: 'first' });

function tasksOf(sent: Sent, ...ids: string[]): Promise<LiveTask[]> {
  return Promise.all(ids.map((id) => stage.task(id, sent)));
}

/** One artifact and the end. */
function finish(task: LiveTask, text: string): void {
  task.chunk(text);
  task.end();
}

/** The texts of the artifacts that the task has at its end. */
async function result(sent: Sent): Promise<string[]> {
  return artifactTexts(await sent.task);
}

async function statesOf(sent: Sent): Promise<Record<string, string>> {
  const { delegations } = await sent.view;
  return Object.fromEntries(
    (delegations as JsonObject[]).map(({ agentId, state }) => [String(agentId), String(state)]),
  );
}

describe('strategy one', () => {
  it('asks the next agent when one does not take the message, and shows the operator both', async () => {
    stage.agent('a').handlers['SendStreamingMessage'] = (call) => call.error(-32603, 'No disk');
    const sent = await stage.send({ tags: ['a', 'b'], match: 'any' });
    const [task] = await tasksOf(sent, 'b');
    delete stage.agent('a').handlers['SendStreamingMessage'];
    finish(task!, 'done');
    expect(await sent.story()).toEqual(['SUBMITTED', 'WORKING', 'chunks=done', 'COMPLETED']);
    const { route, delegations } = await sent.view;
    expect(route).toMatchObject({ reason: 'tags', strategy: 'one' });
    const [delegation] = delegations as JsonObject[];
    expect(delegation).toMatchObject({
      agentId: 'b',
      state: 'completed',
      step: 0,
      position: 0,
      calls: 2,
      attempts: [
        { agentId: 'a', agentName: 'Agent a', why: expect.stringContaining('Agent a refused') },
      ],
    });
    const { createdAt, queuedAt, sentAt, answeredAt, endedAt, attempts } = delegation!;
    const times = [createdAt, queuedAt, sentAt, attempts[0].endedAt, answeredAt, endedAt];
    expect(times).toEqual(times.toSorted());
  });
});

describe('strategy all', () => {
  it('merges what all agents give, and tells stream and webhook the same', async () => {
    const sent = await stage.send(all('a', 'b'));
    const [a, b] = await tasksOf(sent, 'a', 'b');
    a!.chunk('from a');
    await sent.until('a.chunks=from a');
    finish(b!, 'from b');
    await sent.until('b.chunks=from b');
    a!.end();
    const story = await sent.story();
    expect(story.at(-1)).toMatch(/^COMPLETED/);
    expect(story.filter((each) => /^(a|b)\./.test(each))).toEqual([
      'a.chunks=from a',
      'b.chunks=from b',
    ]);
    expect(await result(sent)).toEqual(['from a', 'from b']);
    const told = await sent.told();
    expect(told.filter((each) => !story.includes(each))).toEqual([]);
    expect(told.at(-1)).toBe(story.at(-1));
  });

  it('fails when one of them does, names it, and keeps what is finished', async () => {
    const sent = await stage.send(all('a', 'b'));
    const [a, b] = await tasksOf(sent, 'a', 'b');
    finish(a!, 'kept');
    await sent.until('a.chunks=kept');
    b!.setState('TASK_STATE_WORKING');
    b!.end('TASK_STATE_FAILED');
    expect((await sent.story()).at(-1)).toMatch(
      /^FAILED: 1 of 2 agents completed\. Missing: Agent b/,
    );
    expect(await result(sent)).toEqual(['kept']);
  });

  it('with any: the first that completes is enough, and the others are told to stop', async () => {
    const sent = await stage.send({ ...all('a', 'b', 'c'), require: 'any' });
    const [a] = await tasksOf(sent, 'a', 'b', 'c');
    finish(a!, 'enough');
    expect((await sent.story()).at(-1)).toMatch(/^COMPLETED/);
    await Promise.all([stage.canceled('b', sent), stage.canceled('c', sent)]);
    expect(await statesOf(sent)).toEqual({ a: 'completed', b: 'canceled', c: 'canceled' });
  });

  it('with a quorum: completes with so many, and not before', async () => {
    const sent = await stage.send({ ...all('a', 'b', 'c'), require: 'quorum', quorum: 2 });
    const [a, b] = await tasksOf(sent, 'a', 'b', 'c');
    finish(a!, 'one');
    await eventually(async () => expect((await statesOf(sent))['a']).toBe('completed'));
    expect((await sent.view)['state']).toBe('working');
    finish(b!, 'two');
    expect((await sent.story()).at(-1)).toMatch(/^COMPLETED/);
    await stage.canceled('c', sent);
  });

  it('with a quorum that cannot be met any more: fails at once, and stops the rest', async () => {
    const sent = await stage.send({ ...all('a', 'b', 'c'), require: 'quorum', quorum: 2 });
    const [a, b] = await tasksOf(sent, 'a', 'b', 'c');
    a!.end('TASK_STATE_FAILED');
    b!.end('TASK_STATE_REJECTED');
    const last = (await sent.story()).at(-1);
    expect(last).toMatch(/^FAILED: 0 of 3 agents completed/);
    expect(last).toContain('Agent a');
    expect(last).toContain('Agent b');
    await stage.canceled('c', sent);
  });

  it('with best effort: waits for everybody, completes with one, and says who is missing', async () => {
    const sent = await stage.send({ ...all('a', 'b'), require: 'best-effort' });
    const [a, b] = await tasksOf(sent, 'a', 'b');
    finish(a!, 'something');
    await eventually(async () => expect((await statesOf(sent))['a']).toBe('completed'));
    expect((await sent.view)['state']).toBe('working');
    b!.end('TASK_STATE_FAILED');
    expect((await sent.story()).at(-1)).toMatch(
      /^COMPLETED: 1 of 2 agents completed\. Missing: Agent b/,
    );
    expect(await result(sent)).toEqual(['something']);
  });

  it('with a deadline: cancels what still runs, and says so', async () => {
    const sent = await stage.send({ ...all('a', 'b'), require: 'best-effort', deadlineSeconds: 1 });
    const [a] = await tasksOf(sent, 'a', 'b');
    finish(a!, 'in time');
    const last = (await sent.story()).at(-1);
    expect(last).toMatch(/^COMPLETED: 1 of 2 agents completed\. Missing: Agent b/);
    expect(last).toContain('deadline');
    await stage.canceled('b', sent);
  });
});

describe('strategy first', () => {
  it('shows nothing of a race before it is won, and then only what the winner gave', async () => {
    const sent = await stage.send(race('a', 'b'));
    const [a, b] = await tasksOf(sent, 'a', 'b');
    a!.chunk('from the loser');
    b!.chunk('from the winner');
    await stage.held(sent.taskId, 2);
    expect(await result(sent)).toEqual([]);
    b!.end();
    const story = await sent.story();
    expect(story.filter((each) => each.includes('from'))).toEqual(['b.chunks=from the winner']);
    expect(story.at(-1)).toMatch(/^COMPLETED/);
    expect(await result(sent)).toEqual(['from the winner']);
    await stage.canceled('a', sent);
    expect(JSON.stringify(await sent.told())).not.toContain('loser');
  });

  it('is won by whoever is left when the others fail', async () => {
    const sent = await stage.send(race('a', 'b', 'c'));
    const [a, b, c] = await tasksOf(sent, 'a', 'b', 'c');
    a!.end('TASK_STATE_FAILED');
    b!.end('TASK_STATE_REJECTED');
    finish(c!, 'at last');
    expect((await sent.story()).at(-1)).toMatch(/^COMPLETED/);
    expect(await result(sent)).toEqual(['at last']);
  });

  it('fails when nobody completes, and names them all', async () => {
    const sent = await stage.send(race('a', 'b'));
    const [a, b] = await tasksOf(sent, 'a', 'b');
    a!.end('TASK_STATE_FAILED');
    b!.end('TASK_STATE_FAILED');
    expect((await sent.story()).at(-1)).toMatch(/^FAILED: .*Agent a.*Agent b/);
  });
});

describe('several agents that ask', () => {
  const answer = (sent: Sent, text: string, replyTo?: string): Promise<unknown> =>
    stage.hub.rpc('SendMessage', {
      message: userMessage(text, {
        taskId: sent.taskId,
        ...(replyTo && { metadata: { [ROUTING_EXTENSION_URI]: { replyTo } } }),
      }),
      configuration: { returnImmediately: true },
    });

  it('get each its own answer, by replyTo', async () => {
    const sent = await stage.send(all('a', 'b'));
    const [a, b] = await tasksOf(sent, 'a', 'b');
    a!.setState('TASK_STATE_INPUT_REQUIRED', 'Which year?');
    b!.setState('TASK_STATE_INPUT_REQUIRED', 'Which currency?');
    const requested = (await sent.story()).at(-1);
    expect(requested).toMatch(
      /^INPUT_REQUIRED: .*Agent a: Which year\?.*Agent b: Which currency\?/,
    );
    const unclear = await answer(sent, 'both').catch((error: unknown) => error);
    expect(unclear).toBeInstanceOf(RpcError);
    expect(String(unclear)).toMatch(/replyTo.*a, b/);
    await answer(sent, 'euro', 'b');
    await answer(sent, '2025', 'a');
    const textsAt = (task: LiveTask): string => JSON.stringify(task.snapshot()['history']);
    await eventually(() => {
      expect(textsAt(a!)).toContain('2025');
      expect(textsAt(b!)).toContain('euro');
    });
    expect(textsAt(a!)).not.toContain('euro');
    expect(textsAt(b!)).not.toContain('2025');
    a!.end();
    b!.end();
    await stage.hub.waitForTask(sent.taskId, 'TASK_STATE_COMPLETED');
  });
});
