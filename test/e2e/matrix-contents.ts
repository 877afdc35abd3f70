import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Part } from '@a2a-js/sdk';
import { textPart } from '../support/agents.js';
import type { JsonObject } from '../support/json.js';
import type { WebhookSink } from '../support/webhook-sink.js';
import { contentsOf, contentsThrough, type Dialect, type Pair, taskOf } from './matrix-harness.js';

/** What messages and artifacts hold. */
export function describeContents(client: Dialect, agent: Dialect, pairOf: () => Pair): void {
  it('passes files there and back, with name, media type and metadata', async () => {
    const pair = pairOf();
    const about = { filename: 'a.csv', mediaType: 'text/csv', metadata: { 'x-file': 'yes' } };
    const parts: Part[] = [
      { content: { $case: 'raw', value: Buffer.from('a;b\n\u00e9') }, ...about },
      { content: { $case: 'url', value: 'https://example.com/a.csv' }, ...about },
    ];
    const task = await pair.send('', { parts: [textPart('hand back'), ...parts] });
    const expected = contentsThrough(parts, client, agent);
    expect(contentsOf(pair.turn.message.parts.slice(1))).toEqual(expected);
    expect(contentsOf(task.artifacts[0]?.parts)).toEqual(expected);
  });

  it('passes data there and back, also what is no object', async () => {
    const pair = pairOf();
    const parts = [
      { text: 'a', number: 1.5, none: null, list: [1, { two: 2 }], snake_case: true },
      [1, 'two', null],
      'three',
    ].map(dataPart);
    const task = await pair.send('', { parts: [textPart('hand back'), ...parts] });
    const expected = contentsThrough(parts, client, agent);
    expect(contentsOf(pair.turn.message.parts.slice(1))).toEqual(expected);
    expect(contentsOf(task.artifacts[0]?.parts)).toEqual(expected);
  });

  it('passes unknown metadata and extensions there and back', async () => {
    const pair = pairOf();
    const metadata = {
      'https://example.com/ext': { deep: [1, { two: null }] },
      snake_key: 'x',
    };
    const extensions = ['https://example.com/ext'];
    const request = pair.to('', {
      message: { parts: [textPart('hand back'), dataPart({})], metadata, extensions },
    });
    request.metadata = { 'https://example.com/request': 'too' };
    const task = taskOf(await pair.client.sendMessage(request));
    const { message } = pair.turn;
    expect(message.messageId).toBe(request.message!.messageId);
    expect(message.metadata).toMatchObject(metadata);
    expect(message.extensions).toEqual(extensions);
    expect(task.artifacts[0]?.metadata).toMatchObject(metadata);
    expect(pair.turn.context).toMatchObject({ request: { metadata: request.metadata } });
  });
}

/** Webhooks: their configs, and what they get. */
export function describePush(
  { version }: Dialect,
  pairOf: () => Pair,
  sinkOf: () => WebhookSink,
): void {
  it('sets, gets, lists and deletes push configs', async () => {
    const pair = pairOf();
    const { id: taskId } = await pair.send('pushed');
    const { client } = pair;
    const config = {
      tenant: '',
      taskId,
      id: 'mine',
      url: sinkOf().url('/never'),
      token: '',
    };
    const authentication = { scheme: 'Bearer', credentials: 'secret' };
    const created = await client.createTaskPushNotificationConfig({
      ...config,
      authentication,
    });
    expect(created).toMatchObject({ id: 'mine', taskId, url: config.url });
    const mine = { tenant: '', taskId, id: 'mine' };
    expect(await client.getTaskPushNotificationConfig(mine)).toMatchObject({
      ...mine,
      url: config.url,
    });
    const listed = { tenant: '', taskId, pageSize: 10, pageToken: '' };
    const { configs } = await client.listTaskPushNotificationConfig(listed);
    expect(configs.map(({ id }) => id)).toEqual(['mine']);
    await client.deleteTaskPushNotificationConfig(mine);
    expect((await client.listTaskPushNotificationConfig(listed)).configs).toEqual([]);
    await expect(client.getTaskPushNotificationConfig(mine)).rejects.toThrow(/not found/i);
  });

  it(`is told of its task by webhook in ${version}`, async () => {
    const pair = pairOf();
    const sink = sinkOf();
    const path = `/${randomUUID()}`;
    const request = pair.to('tell', {
      configuration: {
        taskPushNotificationConfig: {
          tenant: '',
          id: '',
          taskId: '',
          url: sink.url(path),
          token: 'the-token',
          authentication: { scheme: 'Bearer', credentials: 'the-credentials' },
        },
      },
    });
    const task = taskOf(await pair.client.sendMessage(request));
    const end = await sink.waitFor(
      (one) => one.path === path && /COMPLETED|"completed"/.test(one.raw.toString()),
    );
    expect(end.headers).toMatchObject({
      authorization: 'Bearer the-credentials',
      'x-a2a-notification-token': 'the-token',
      'content-type': expect.stringMatching(
        version === '1.0' ? /^application\/a2a\+json/ : /^application\/json/,
      ),
    });
    const bodies = sink.at(path).map(({ json }) => json as JsonObject);
    if (version === '1.0') {
      expect(bodies.map((body) => Object.keys(body).join())).toEqual(
        expect.arrayContaining(['task', 'artifactUpdate', 'statusUpdate']),
      );
      expect(end.json).toMatchObject({
        statusUpdate: { taskId: task.id, status: { state: 'TASK_STATE_COMPLETED' } },
      });
    } else {
      expect(new Set(bodies.map(({ kind }) => kind as string))).toEqual(new Set(['task']));
      expect(end.json).toMatchObject({
        id: task.id,
        contextId: task.contextId,
        status: { state: 'completed' },
        artifacts: [{ parts: [{ kind: 'text' }, { text: 'second of tell' }] }],
      });
    }
  });
}

function dataPart(value: unknown): Part {
  return {
    content: { $case: 'data', value },
    filename: '',
    mediaType: '',
    metadata: undefined,
  };
}
