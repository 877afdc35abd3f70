import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HubProcess, startHubProcess, stateOf } from '../support/app.js';
import { artifactTexts, userMessage } from '../support/builders.js';
import { startPostgres } from '../support/databases.js';
import { EventFeedReader } from '../support/event-feed.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { WebhookSink } from '../support/webhook-sink.js';

let database: Awaited<ReturnType<typeof startPostgres>>;
let api: HubProcess;
let worker: HubProcess;
let agent: RunningAgent;
let sink: WebhookSink;

beforeAll(async () => {
  database = await startPostgres();
  const databaseUrl = await database.migratedUrl();
  const start = (role: string): Promise<HubProcess> =>
    startHubProcess({ databaseUrl, environment: { A2A_HUB__ROLE: role } });
  api = await start('api');
  [worker, agent, sink] = await Promise.all([
    start('worker'),
    startSdkAgent({
      execute: async (turn) => {
        if (turn.isFollowUp) turn.task().artifact('answer', `got ${turn.text}`).complete();
        else if (turn.text === 'ask') turn.task().askForInput('What?');
        else if (turn.text === 'wait') {
          turn.task().working();
          await turn.pause(30_000);
        } else turn.task().working().artifact('answer', `did ${turn.text}`).complete();
      },
    }),
    WebhookSink.start(),
  ]);
  await api.registerAgent(agent.url, { id: 'agent' });
});

afterAll(async () => {
  await Promise.all([api, worker, agent, sink].map((one) => one?.close()));
  await database?.stop();
});

const TO_AGENT = { metadata: { agentId: 'agent' } };

it('serves probes only in the worker', async () => {
  expect((await worker.get('/health/ready', { key: null })).status).toBe(200);
  const { status } = await worker.post('/a2a', '{}', { key: null });
  expect(status).toBe(404);
});

it('sends through the api and works in the worker', async () => {
  const { task } = await api.send('this', { message: TO_AGENT });
  expect(stateOf(task as JsonObject)).toBe('TASK_STATE_COMPLETED');
  expect(artifactTexts(task as JsonObject)).toEqual(['did this']);
});

it('streams from the api what the worker logs', async () => {
  const params = { message: userMessage('that', TO_AGENT) };
  const events = await (await api.stream('SendStreamingMessage', params)).collect();
  expect(events[0]!.data).toHaveProperty('task');
  expect(events.at(-1)!.data.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
  const chunks = events.flatMap(({ data }) => (data.artifactUpdate ? [data.artifactUpdate] : []));
  expect(chunks).toMatchObject([{ artifact: { parts: [{ text: 'did that' }] } }]);
});

it('shows operators at the api what the worker logs, as it happens', async () => {
  const { id } = await api.submit('live', { message: TO_AGENT });
  const reader = await EventFeedReader.open(`${api.url}/api/v1/tasks/${String(id)}/events`, {
    authorization: `Bearer ${api.adminKey}`,
    accept: 'text/event-stream',
  });
  await eventually(() => expect(reader.events.at(-1)?.event).toBe('end'), 20_000);
  const seqs = reader.events.filter(({ event }) => event === 'event').map(({ data }) => data.seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  await reader.close();
});

it('takes a follow-up to the delegation that waits', async () => {
  const { task: requested } = await api.send('ask', { message: TO_AGENT });
  expect(stateOf(requested as JsonObject)).toBe('TASK_STATE_INPUT_REQUIRED');
  const { task } = await api.send('this one', { message: { taskId: requested.id } });
  expect(task.id).toBe(requested.id);
  expect(artifactTexts(task as JsonObject)).toEqual(['got this one']);
});

it('cancels in the worker what the api is asked to cancel', async () => {
  const { id } = await api.submit('wait', { message: TO_AGENT });
  await api.waitForTask(String(id), 'TASK_STATE_WORKING');
  const canceled = (await api.rpc('CancelTask', { id })) as JsonObject;
  expect(stateOf(canceled)).toBe('TASK_STATE_CANCELED');
  expect(agent.turns.at(-1)!.canceled.signal.aborted).toBe(true);
});

it('tells a webhook from the worker', async () => {
  const configuration = { taskPushNotificationConfig: { url: sink.url('/roles') } };
  const { task } = await api.send('tell', { message: TO_AGENT, configuration });
  const told = await sink.waitFor(
    ({ json }) => (json as JsonObject).statusUpdate?.status.state === 'TASK_STATE_COMPLETED',
  );
  expect((told.json as JsonObject).statusUpdate.taskId).toBe(task.id);
});

it('knows in the api whether a worker is there', async () => {
  const workers = async (): Promise<unknown> =>
    ((await api.get('/health/ready', { key: null })).body as JsonObject).workers;
  const becomes = async (wanted: string | undefined): Promise<void> => {
    const end = performance.now() + 10_000;
    while ((await workers()) !== wanted && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await workers()).toBe(wanted);
  };
  await becomes(undefined);
  expect((await worker.get('/metrics', { key: null })).text).toMatch(/^a2a_hub_workers 1$/m);
  expect(await worker.terminate()).toBe(0);
  await becomes('none');
  expect(api.output).toContain('no worker process is running: tasks and webhooks wait');
  const task = await api.submit('late', { message: TO_AGENT });
  expect(JSON.stringify(task['status'])).toContain('No process of the hub works on tasks');
  await worker.restart();
  const done = await api.waitForTask(String(task['id']), 'TASK_STATE_COMPLETED');
  expect(artifactTexts(done)).toEqual(['did late']);
  await becomes(undefined);
});
