import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Hub, startHub, stateOf } from '../support/app.js';
import { artifactTexts, userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';

const PATH = '/api/v1/composite-skills';
const ROUTING = 'urn:a2a-hub:routing:v1';
const NAMES = ['extract', 'translate', 'review', 'merge', 'fallback'] as const;
type Name = (typeof NAMES)[number];

let hub: Hub;
const agents = {} as Record<Name, ScriptedAgent>;

beforeAll(async () => {
  hub = await startHub();
  for (const name of NAMES) {
    agents[name] = await ScriptedAgent.start({
      name,
      streaming: false,
      skills: [{ id: name, tags: [name, 'worker'] }],
    });
    await hub.registerAgent(agents[name].url, { id: name });
  }
});

afterEach(() => {
  for (const name of NAMES) {
    agents[name].calls.splice(0);
    delete agents[name].handlers['SendMessage'];
  }
});

afterAll(async () => {
  await hub?.close();
  for (const name of NAMES) await agents[name]?.close();
});

/** Ends the call's task in this state, with one artifact where there is a text. */
function end(call: ScriptedCall, state: string, text?: string): void {
  const artifacts = text === undefined ? [] : [{ artifactId: 'out', parts: [{ text }] }];
  const status = { state: `TASK_STATE_${state}` };
  call.result({ task: { id: randomUUID(), contextId: randomUUID(), status, artifacts } });
}

/** By default every agent answers with its name around what it got. */
function scripts(changes: Partial<Record<Name, (call: ScriptedCall) => unknown>> = {}): void {
  for (const name of NAMES) {
    agents[name].handlers['SendMessage'] = async (call) => {
      const change = changes[name];
      if (change) await change(call);
      else end(call, 'COMPLETED', `${name}(${textsOf(call).join('+')})`);
    };
  }
}

function textsOf({ message }: ScriptedCall): string[] {
  return (message['parts'] as JsonObject[]).map((part) => String(part['text']));
}

const sent = (name: Name): string[][] => agents[name].callsOf('SendMessage').map(textsOf);

async function make(id: string, steps: JsonObject[], fields: JsonObject = {}): Promise<void> {
  const body = { id, name: id, description: `Does ${id}`, steps, ...fields };
  const answer = await hub.admin('POST', PATH, body);
  expect({ status: answer.status, detail: answer.body.detail }).toEqual({ status: 201 });
}

/** Sends a text to a composite skill and waits for its end. */
async function run(id: string, text = 'text', directive: JsonObject = {}): Promise<JsonObject> {
  const metadata = { [ROUTING]: { skillId: `composite.${id}`, ...directive } };
  const { task } = await hub.send(text, { message: { metadata } });
  return task as JsonObject;
}

const seen = async (task: JsonObject): Promise<Json> =>
  (await hub.admin('GET', `/api/v1/tasks/${String(task['id'])}`)).body;
const statesOf = async (task: JsonObject): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await seen(task)).delegations.map((each: Json) => [each.stepName, each.state]),
  );
const said = (task: JsonObject): string => JSON.stringify(task['status'].message ?? '');

const extract = { name: 'extract', agentId: 'extract' };
const translate = { name: 'translate', tags: ['translate'], inputs: ['extract'] };
const review = { name: 'review', skillId: 'review.review', inputs: ['message', 'extract'] };
const merge = { name: 'merge', agentId: 'merge', inputs: ['translate', 'review'] };

describe('a task of a composite skill', () => {
  it('goes through its steps, those at the same time that wait for the same', async () => {
    await make('contract', [extract, translate, review, merge]);
    const both: (() => void)[] = [];
    // Neither answers before the other has been asked.
    const together = (name: Name) => async (call: ScriptedCall) => {
      await new Promise<void>((resolve) => {
        both.push(resolve);
        if (both.length === 2) both.forEach((go) => go());
      });
      end(call, 'COMPLETED', `${name}(${textsOf(call).join('+')})`);
    };
    scripts({ translate: together('translate'), review: together('review') });
    const task = await run('contract', 'pdf');
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(artifactTexts(task)).toEqual([
      'merge(translate(extract(pdf))+review(pdf+extract(pdf)))',
    ]);
    expect(sent('fallback')).toEqual([]);
  });

  it('tells in its route which version of which skill it is of, and who did what', async () => {
    await make('told', [extract, { name: 'merge', agentId: 'merge' }], { deadlineSeconds: 60 });
    scripts();
    const view = await seen(await run('told', 'x', { deadlineSeconds: 3600, maxCalls: 5 }));
    expect(view.route).toMatchObject({
      reason: 'skill',
      composite: { id: 'told', version: 1 },
      deadlineMs: 60_000,
      maxCalls: 5,
      plan: [
        { name: 'extract', isResult: false, chosen: [{ agentId: 'extract' }] },
        { name: 'merge', isResult: true, chosen: [{ agentId: 'merge' }] },
      ],
    });
    const eager = await seen(await run('told', 'x', { maxCalls: 900 }));
    expect(eager.route.maxCalls).toBe(100);
    expect(view.delegations).toMatchObject([
      { stepName: 'extract', agentId: 'extract', state: 'completed' },
      { stepName: 'merge', agentId: 'merge', state: 'completed' },
    ]);
  });

  it('is found by its tags and by its words', async () => {
    await make('invoice', [extract], {
      name: 'Invoice bookkeeping',
      description: 'Posts supplier invoices to the ledger',
      tags: ['bookkeeping'],
    });
    scripts();
    for (const params of [
      { message: { metadata: { skillTags: ['bookkeeping'] } } },
      { message: { parts: [{ text: 'post the supplier invoices to the ledger' }] } },
    ]) {
      const { task } = await hub.send('book it', params);
      expect((await seen(task as JsonObject)).route.composite).toEqual({
        id: 'invoice',
        version: 1,
      });
    }
  });

  it('takes a fallback only when a step failed', async () => {
    await make('careful', [
      { ...translate, inputs: ['message'], optional: true },
      {
        name: 'fallback',
        agentId: 'fallback',
        inputs: ['message'],
        after: [{ step: 'translate', outcome: 'failed' }],
      },
    ]);
    scripts();
    const good = await run('careful', 'one');
    expect(artifactTexts(good)).toEqual(['translate(one)']);
    expect(await statesOf(good)).toEqual({ translate: 'completed', fallback: 'skipped' });
    expect(sent('fallback')).toEqual([]);

    scripts({ translate: (call) => end(call, 'FAILED') });
    const bad = await run('careful', 'two');
    expect(stateOf(bad)).toBe('TASK_STATE_COMPLETED');
    expect(artifactTexts(bad)).toEqual(['fallback(two)']);
    expect(await statesOf(bad)).toEqual({ translate: 'failed', fallback: 'completed' });
  });

  it('keeps what was finished when it fails, and says what is missing', async () => {
    await make('partial', [extract, translate, review, merge]);
    scripts({ review: (call) => end(call, 'FAILED') });
    const task = await run('partial', 'pdf');
    expect(stateOf(task)).toBe('TASK_STATE_FAILED');
    expect(artifactTexts(task).sort()).toEqual(['extract(pdf)', 'translate(extract(pdf))']);
    expect(said(task)).toContain('review');
    expect(await statesOf(task)).toMatchObject({ review: 'failed', merge: 'skipped' });
    expect(sent('merge')).toEqual([]);
  });

  it('does without an optional step that failed or ran out of time', async () => {
    const late = { ...review, name: 'late', optional: true, deadlineSeconds: 0.2 };
    const after = [{ step: 'translate' }, { step: 'late', outcome: 'ended' }];
    await make('patient', [
      extract,
      translate,
      late,
      { ...merge, inputs: ['translate', 'late'], after },
    ]);
    const canceled: string[] = [];
    agents.review.handlers['CancelTask'] = (call) => {
      canceled.push(String(call.params['id']));
      call.result({
        id: call.params['id'],
        contextId: 'c',
        status: { state: 'TASK_STATE_CANCELED' },
      });
    };
    agents.review.handlers['GetTask'] = (call) =>
      call.result({
        id: call.params['id'],
        contextId: 'c',
        status: { state: 'TASK_STATE_WORKING' },
      });
    scripts({
      review: (call) =>
        call.result({
          task: { id: 'slow-one', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
        }),
    });
    const task = await run('patient', 'pdf');
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(artifactTexts(task)).toEqual(['merge(translate(extract(pdf)))']);
    await eventually(() => expect(canceled).toEqual(['slow-one']));
    delete agents.review.handlers['CancelTask'];
    delete agents.review.handlers['GetTask'];
  });

  it('leaves out an optional step that finds nobody, and counts it as failed', async () => {
    await make('lean', [
      { ...translate, inputs: ['message'], optional: true },
      { name: 'polish', agentId: 'review', inputs: ['translate'] },
      {
        name: 'fallback',
        agentId: 'fallback',
        inputs: ['message'],
        after: [{ step: 'translate', outcome: 'failed' }],
      },
      {
        name: 'merge',
        agentId: 'merge',
        inputs: ['translate', 'message'],
        after: [{ step: 'translate', outcome: 'ended' }],
      },
    ]);
    await make('strict', [{ name: 'a', agentId: 'translate' }]);
    await hub.admin('PATCH', '/api/v1/agents/translate', { enabled: false });
    scripts();
    const task = await run('lean', 'x');
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(artifactTexts(task).sort()).toEqual(['fallback(x)', 'merge(x)']);
    expect(sent('review')).toEqual([]);
    expect((await seen(task)).route.leftOut).toEqual([
      { step: 'translate', why: 'Step "translate" finds no agent.' },
      { step: 'polish', why: 'Step "polish" waits for "translate".' },
    ]);
    await expect(run('strict')).rejects.toThrow('No agent offers the skill "composite.strict".');
    await hub.admin('PATCH', '/api/v1/agents/translate', { enabled: true });
  });

  it('keeps the plan it began with when the skill changes or goes', async () => {
    await make('moving', [extract, { name: 'merge', agentId: 'merge' }]);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    scripts({
      extract: async (call) => {
        await released;
        end(call, 'COMPLETED', 'late');
      },
    });
    const metadata = { [ROUTING]: { skillId: 'composite.moving' } };
    const old = await hub.submit('old', { message: { metadata } });
    await eventually(() => expect(sent('extract')).toHaveLength(1));
    const steps = [{ name: 'only', agentId: 'fallback' }];
    expect((await hub.admin('PATCH', `${PATH}/moving`, { steps })).body.version).toBe(2);
    const young = await run('moving', 'young');
    expect(artifactTexts(young)).toEqual(['fallback(young)']);
    expect((await seen(young)).route.composite).toEqual({ id: 'moving', version: 2 });
    expect((await hub.admin('DELETE', `${PATH}/moving`)).status).toBe(204);
    release();
    const done = await hub.waitForTask(String(old['id']));
    expect(artifactTexts(done)).toEqual(['merge(late+old)']);
    expect((await seen(done)).route.composite).toEqual({ id: 'moving', version: 1 });
    expect((await hub.admin('GET', `${PATH}/moving/versions/1`)).status).toBe(200);
  });

  it('asks several agents in one step, as many as it needs', async () => {
    await make('many', [
      {
        name: 'all',
        tags: ['worker'],
        strategy: 'all',
        require: 'quorum',
        quorum: 3,
        maxAgents: 5,
      },
      { name: 'end', agentId: 'merge', inputs: ['all'] },
    ]);
    scripts({
      review: (call) => end(call, 'FAILED'),
      merge: (call) =>
        textsOf(call).length > 1
          ? end(call, 'COMPLETED', textsOf(call).sort().join('+'))
          : end(call, 'FAILED'),
    });
    const task = await run('many', 'x');
    expect(stateOf(task)).toBe('TASK_STATE_COMPLETED');
    expect(artifactTexts(task)).toEqual(['extract(x)+fallback(x)+translate(x)']);
  });

  it('refuses a strategy of the client: the plan is the operator’s', async () => {
    await make('fixed', [extract]);
    await expect(run('fixed', 'x', { strategy: 'all' })).rejects.toThrow(/its own plan/);
  });

  it('is canceled as a whole', async () => {
    await make('halted', [extract, { name: 'merge', agentId: 'merge' }]);
    scripts({
      extract: (call) =>
        call.result({ task: agents.extract.begin(call, { manual: true }).snapshot() }),
    });
    const message = userMessage('x', { metadata: { [ROUTING]: { skillId: 'composite.halted' } } });
    const { task } = await hub.rpc('SendMessage', {
      message,
      configuration: { returnImmediately: true },
    });
    await eventually(() => expect(sent('extract')).toHaveLength(1));
    await hub.rpc('CancelTask', { id: task.id });
    const canceled = await hub.waitForTask(task.id);
    expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
    expect(sent('merge')).toEqual([]);
  });
});
