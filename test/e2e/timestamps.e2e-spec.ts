import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

/** Forms in which agents write the time, right and wrong. */
const WRITTEN = [
  '2026-11-21T02:15:22Z',
  '2026-11-21T02:15:22.137971',
  '2026-11-21T02:15:22.137971999+05:30',
  '2026-11-21 02:15:22',
  '2026-11-21T02:15:22-11:00',
  'yesterday',
  '',
];
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('every time the hub tells', () => {
  let hub: Hub;
  let agent: ScriptedAgent;
  let sink: WebhookSink;

  beforeAll(async () => {
    hub = await startHub();
    sink = await WebhookSink.start();
    agent = await ScriptedAgent.start({ handlers: { '*': answer } });
    await hub.registerAgent(agent.url, { id: 'agent' });
  });

  afterAll(async () => {
    await hub.close();
    await agent.close();
    await sink.close();
  });

  const to = (text: string) => ({
    message: { metadata: { agentId: 'agent' } },
    metadata: { text },
  });

  it('is UTC with milliseconds, whatever its agent writes', async () => {
    for (const written of WRITTEN) {
      const begun = Date.now();
      const { task } = await hub.send(written, to(written));
      const told = timestampsIn(task);
      expect(told.length).toBeGreaterThan(0);
      for (const time of told) {
        expect(time).toMatch(UTC);
        expect(Date.parse(time)).toBeGreaterThanOrEqual(begun);
      }
      const id = (task as JsonObject)['id'] as string;
      const legacy = await hub.rpc('tasks/get', { id }, { version: null });
      expect(timestampsIn(legacy).every((time) => UTC.test(time))).toBe(true);
    }
    const { tasks } = (await hub.rpc('ListTasks', {})) as JsonObject;
    const times = timestampsIn(tasks);
    expect(times).toHaveLength(WRITTEN.length);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('is so in streams and webhooks', async () => {
    const taskPushNotificationConfig = { url: sink.url() };
    const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: WRITTEN[2] }] };
    const stream = await hub.stream('SendStreamingMessage', {
      tenant: 'agent',
      message,
      configuration: { taskPushNotificationConfig },
    });
    const events = await stream.collect();
    expect(timestampsIn(events.map(({ data }) => data)).length).toBeGreaterThan(1);
    for (const time of timestampsIn(events.map(({ data }) => data))) expect(time).toMatch(UTC);
    const webhooks = await sink.waitForCount(2);
    const pushed = timestampsIn(webhooks.map(({ json }) => json));
    expect(pushed.length).toBeGreaterThan(1);
    for (const time of pushed) expect(time).toMatch(UTC);
  });

  it('is what statusTimestampAfter is held against, in any zone and to the millisecond', async () => {
    const { task } = await hub.send('x', to('x'));
    const [at] = timestampsIn((task as JsonObject)['status']);
    const since = async (statusTimestampAfter: string): Promise<boolean> => {
      const { tasks } = (await hub.rpc('ListTasks', { statusTimestampAfter })) as {
        tasks: JsonObject[];
      };
      return tasks.some(({ id }) => id === (task as JsonObject)['id']);
    };
    const time = Date.parse(at!);
    const inIndia = `${new Date(time + 5.5 * 3_600_000).toISOString().slice(0, -1)}+05:30`;
    expect([await since(at!), await since(inIndia)]).toEqual([true, true]);
    expect(await since(at!.replace('Z', '000000Z'))).toBe(true);
    expect(await since(at!.replace('Z', '001Z'))).toBe(false);
    expect(await since(new Date(time + 1).toISOString())).toBe(false);
  });
});

function answer(call: ScriptedCall): void {
  const ids = { taskId: `d-${call.message['messageId'] as string}`, contextId: 'c' };
  const timestamp = call.text;
  const status = (state: string) => ({ state: `TASK_STATE_${state}`, timestamp });
  call.event({ task: { id: ids.taskId, contextId: 'c', status: status('SUBMITTED') } });
  call.event({ statusUpdate: { ...ids, status: status('WORKING') } });
  call.event({ statusUpdate: { ...ids, status: status('COMPLETED') } });
  call.end();
}

/** Every `timestamp` anywhere in it, in order. */
function timestampsIn(json: unknown): string[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) =>
    name === 'timestamp' ? [String(value)] : timestampsIn(value),
  );
}
