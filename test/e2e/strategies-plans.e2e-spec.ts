import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTING_EXTENSION_URI } from '../../src/protocol/routing-extension.js';
import { artifactTexts, legacyUserMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import type { LiveTask } from '../support/live-task.js';
import { type Sent, Stage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start(['a', 'b', 'c']);
});
afterAll(() => stage?.close());

const chain = (...agentIds: string[]): JsonObject => ({
  strategy: 'chain',
  steps: agentIds.map((agentId) => ({ agentId })),
});

/** One artifact and the end. */
function finish(task: LiveTask, text: string): void {
  task.chunk(text);
  task.end();
}

/** The texts of the first message an agent was given for a task. */
function given(task: LiveTask): string[] {
  const [message] = task.snapshot()['history'] as JsonObject[];
  return (message!['parts'] as JsonObject[]).map(({ text }) => String(text));
}

async function result(sent: Sent): Promise<string[]> {
  return artifactTexts(await sent.task);
}

async function statesOf(sent: Sent): Promise<unknown[]> {
  const { delegations } = await sent.view;
  return (delegations as JsonObject[]).map(({ step, agentId, state }) => [step, agentId, state]);
}

describe('a chain', () => {
  it('gives each agent the artifacts of the one before, then the message', async () => {
    const sent = await stage.send(chain('a', 'b'));
    const a = await stage.task('a', sent);
    expect(given(a)).toEqual([sent.text]);
    await eventually(async () => {
      expect(await statesOf(sent)).toEqual([
        [0, 'a', 'working'],
        [1, 'b', 'planned'],
      ]);
    });
    finish(a, 'a draft');
    const b = await stage.task('b', sent);
    expect(given(b)).toEqual(['a draft', sent.text]);
    finish(b, 'the result');
    const story = await sent.story();
    expect(story.at(-1)).toMatch(/^COMPLETED/);
    expect(await result(sent)).toEqual(['the result']);
    expect(JSON.stringify([story, await sent.told()])).not.toContain('a draft');
    expect(await statesOf(sent)).toEqual([
      [0, 'a', 'completed'],
      [1, 'b', 'completed'],
    ]);
  });

  it('stops where an agent fails, and names the step that is missing', async () => {
    const sent = await stage.send(chain('a', 'b', 'c'));
    (await stage.task('a', sent)).end('TASK_STATE_FAILED');
    expect((await sent.story()).at(-1)).toMatch(/^FAILED: .*Agent a/);
    expect(await statesOf(sent)).toEqual([
      [0, 'a', 'failed'],
      [1, 'b', 'skipped'],
      [2, 'c', 'skipped'],
    ]);
  });

  it('keeps what was finished when a later agent fails', async () => {
    const sent = await stage.send(chain('a', 'b'));
    finish(await stage.task('a', sent), 'a draft');
    (await stage.task('b', sent)).end('TASK_STATE_FAILED');
    const story = await sent.story();
    expect(story.slice(-2)).toEqual([
      'a.chunks=a draft',
      expect.stringMatching(/^FAILED: .*Agent b/),
    ]);
    expect(await result(sent)).toEqual(['a draft']);
  });

  it('ends when its budget of messages is spent, and says so', async () => {
    const sent = await stage.send({ ...chain('a', 'b'), maxCalls: 1 });
    finish(await stage.task('a', sent), 'a draft');
    expect((await sent.story()).at(-1)).toMatch(/^FAILED: .*Agent b.*\(1\) are used up/);
    const toB = [...stage.agent('b').tasks.values()].map(given);
    expect(toB.filter((texts) => texts.includes(sent.text))).toEqual([]);
  });

  it('is canceled down to the agent that works, and begins no further step', async () => {
    const sent = await stage.send(chain('a', 'b'));
    (await stage.task('a', sent)).chunk('half');
    await stage.held(sent.taskId, 1);
    await stage.hub.rpc('CancelTask', { id: sent.taskId });
    await stage.canceled('a', sent);
    expect((await sent.story()).at(-1)).toMatch(/^CANCELED/);
    const [, second] = (await statesOf(sent)) as [number, string, string][];
    expect(['canceled', 'skipped']).toContain(second?.[2]);
  });
});

describe('synthesize', () => {
  const directive = {
    tags: ['a', 'b'],
    match: 'any',
    strategy: 'synthesize',
    synthesizer: { agentId: 'c' },
  };

  it('makes the result of all artifacts, and shows only that', async () => {
    const sent = await stage.send(directive);
    const [a, b] = await Promise.all([stage.task('a', sent), stage.task('b', sent)]);
    finish(a, 'one view');
    finish(b, 'another view');
    const c = await stage.task('c', sent);
    expect(given(c).toSorted()).toEqual(['another view', sent.text, 'one view'].toSorted());
    expect(given(c).at(-1)).toBe(sent.text);
    finish(c, 'the whole');
    const story = await sent.story();
    expect(story.at(-1)).toMatch(/^COMPLETED/);
    expect(JSON.stringify(story)).not.toContain('view');
    expect(await result(sent)).toEqual(['the whole']);
  });

  it('gives the single artifacts after all when the synthesizer fails', async () => {
    const sent = await stage.send(directive);
    const [a, b] = await Promise.all([stage.task('a', sent), stage.task('b', sent)]);
    finish(a, 'one view');
    finish(b, 'another view');
    (await stage.task('c', sent)).end('TASK_STATE_FAILED');
    expect((await sent.story()).at(-1)).toMatch(/^FAILED: .*Agent c/);
    expect((await result(sent)).toSorted()).toEqual(['another view', 'one view']);
  });
});

describe('a composite skill', () => {
  beforeAll(async () => {
    const answer = await stage.hub.admin('POST', '/api/v1/composite-skills', {
      id: 'brief',
      name: 'Brief',
      description: 'Two look, one writes; without a text, somebody else is asked.',
      steps: [
        { name: 'look', tags: ['a', 'b'], match: 'any', strategy: 'all', require: 'any' },
        { name: 'write', agentId: 'c', inputs: ['look', 'message'] },
        {
          name: 'instead',
          agentId: 'a',
          inputs: ['message'],
          after: [{ step: 'look', outcome: 'failed' }],
        },
      ],
    });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
  });

  it('runs its plan like any other skill, and the task says which version', async () => {
    const sent = await stage.send({ skillId: 'composite.brief' });
    const [a] = await Promise.all([stage.task('a', sent), stage.task('b', sent)]);
    finish(a, 'seen');
    await stage.canceled('b', sent);
    finish(await stage.task('c', sent), 'written');
    expect((await sent.story()).at(-1)).toMatch(/^COMPLETED/);
    expect(await result(sent)).toEqual(['written']);
    const { route, delegations } = await sent.view;
    expect(route).toMatchObject({ composite: { id: 'brief', version: 1 } });
    expect((delegations as JsonObject[]).map(({ stepName, state }) => [stepName, state])).toEqual([
      ['look', 'completed'],
      ['look', 'canceled'],
      ['write', 'completed'],
      ['instead', 'skipped'],
    ]);
  });

  it('goes the other way when a step fails', async () => {
    const sent = await stage.send({ skillId: 'composite.brief' });
    const [a, b] = await Promise.all([stage.task('a', sent), stage.task('b', sent)]);
    a.end('TASK_STATE_FAILED');
    b.end('TASK_STATE_FAILED');
    const again = await eventually(() => {
      const [, second] = [...stage.agent('a').tasks.values()].filter((task) =>
        given(task).includes(sent.text),
      );
      if (!second) throw new Error('agent a has not been asked again');
      return second;
    });
    finish(again, 'instead of it');
    const story = await sent.story();
    expect(story.filter((each) => each.includes('instead of it'))).toHaveLength(1);
  });
});

describe('older clients', () => {
  it('get the result of a chain over JSON-RPC 0.3', async () => {
    const metadata = { [ROUTING_EXTENSION_URI]: chain('a', 'b') };
    const message = legacyUserMessage('of an older client;', { metadata });
    const pending = stage.hub.rpc(
      'message/send',
      { message, configuration: { blocking: true } },
      { version: null },
    );
    const sent = { text: 'of an older client;' };
    finish(await stage.task('a', sent), 'a draft');
    finish(await stage.task('b', sent), 'the result');
    const task = (await pending) as JsonObject;
    expect(task['status'].state).toBe('completed');
    expect(artifactTexts(task)).toEqual(['the result']);
  });
});
