import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import type { Json } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { WebhookSink } from '../support/webhook-sink.js';

let hub: Hub;
let agent: ScriptedAgent;
let sink: WebhookSink;

beforeAll(async () => {
  [hub, agent, sink] = await Promise.all([startHub(), ScriptedAgent.start(), WebhookSink.start()]);
  await hub.registerAgent(agent.url, { id: 'a' });
});
afterAll(() => Promise.all([hub, agent, sink].map((each) => each?.close())));

it('Keys and webhooks of tasks name whose they are, to those alone that see them', async () => {
  const made = await hub.admin('POST', '/api/v1/keys', {
    name: 'billing',
    scopes: ['a2a', 'push'],
  });
  const { key, principalId, principalName } = made.body;
  expect(principalName).toBe('billing');
  const get = async (path: string, by?: string): Promise<Json> =>
    (await hub.admin('GET', path, undefined, by)).body;
  const keys = await get(`/api/v1/keys?principal=${principalId}`);
  expect(keys.items).toMatchObject([{ principalId, principalName: 'billing' }]);
  const configuration = { taskPushNotificationConfig: { url: sink.url('/hook') } };
  await hub.send('hi', { tenant: 'a', configuration }, { key });
  const wanted = [{ owner: principalId, ownerName: 'billing' }];
  const configs = await get('/api/v1/push/configs');
  expect(configs.items).toMatchObject(wanted);
  expect(await get(`/api/v1/push/configs/${configs.items[0].id}`)).toMatchObject(wanted[0]!);
  const stranger = await hub.createKey({ scopes: ['push'], organization: 'elsewhere' });
  expect((await get('/api/v1/push/configs', stranger)).items).toEqual([]);
  await hub.admin('DELETE', `/api/v1/keys/${keys.items[0].id}`);
  expect((await get('/api/v1/push/configs')).items).toMatchObject([{ ownerName: null }]);
});
