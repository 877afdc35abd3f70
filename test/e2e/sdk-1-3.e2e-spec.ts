import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type DoorHarness, eventsOf, startDoors, streamOf } from './doors-harness.js';

import type { Json } from '../support/json.js';

const MESSAGE = {
  kind: 'message',
  messageId: 'm-1',
  role: 'user',
  parts: [{ kind: 'text', text: 'hello' }],
};

// One test for each point of "Known of 1.3" that concerns the JSON-RPC door: what version 1.3 of the
// SDK does by itself, and that the hub does not show it.
describe('known of the SDK 1.3, at the door', () => {
  let doors: DoorHarness;

  beforeEach(async () => {
    doors = await startDoors();
  });

  afterEach(async () => {
    await doors.server.close();
  });

  it('its handlers answer bad JSON with -32600; the hub answers -32700', async () => {
    const sdk = new LegacyJsonRpcTransportHandler({} as never);
    const own = (await sdk.handle('{"jsonrpc"', new ServerCallContext())) as Json;
    expect(own['error'].code).toBe(-32600);
    for (const version of ['1.0', '0.3', '']) {
      const { body } = await doors.post('{"jsonrpc"', { headers: { 'a2a-version': version } });
      expect(body['error'].code).toBe(-32700);
    }
  });

  it('its handlers answer a bad envelope with -32602; the hub answers -32600 in every version', async () => {
    for (const version of ['1.0', '0.3', '']) {
      for (const envelope of [
        { id: 1, method: 'GetTask' },
        { jsonrpc: '2.0', id: {}, method: 'tasks/get' },
      ]) {
        const { body } = await doors.post(envelope, { headers: { 'a2a-version': version } });
        expect(body['error'].code).toBe(-32600);
      }
    }
  });

  it('its handlers check neither required fields nor types; the hub does, in every version', async () => {
    const wrong: [string, Json, string][] = [
      ['SendMessage', { message: { messageId: 'm', role: 'ROLE_USER' } }, 'message.parts'],
      [
        'SendMessage',
        { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } },
        'message.parts',
      ],
      ['GetTask', { id: 5 }, 'id'],
      ['message/send', { message: { ...MESSAGE, parts: [] } }, 'message.parts'],
      [
        'message/send',
        { message: { ...MESSAGE, parts: [{ kind: 'text', text: 5 }] } },
        'message.parts[0].text',
      ],
      ['tasks/get', { id: 5 }, 'id'],
      ['tasks/get', { id: 't', historyLength: -1 }, 'historyLength'],
    ];
    for (const [method, params, field] of wrong) {
      const { error } = await doors.rpc(method, params);
      expect(error.code).toBe(-32602);
      expect(JSON.stringify(error.data)).toContain(`"field":"${field}"`);
    }
    expect(doors.calls).toEqual([]);
  });

  it('its context takes no second tenant; the agent of a path and of a tenant go together', async () => {
    for (const [path, params] of [
      ['/a2a/agents/csv', { id: 't', tenant: 'csv' }],
      ['/a2a/agents/csv', { id: 't' }],
      ['/a2a', { id: 't', tenant: 'csv' }],
    ] as const) {
      expect((await doors.rpc('GetTask', params, { path }))['error']).toBeUndefined();
      expect(doors.calls.at(-1)!.arguments[2].agentId).toBe('csv');
    }
    expect(
      (await doors.rpc('tasks/get', { id: 't' }, { path: '/a2a/agents/csv' }))['error'],
    ).toBeUndefined();
    expect(doors.calls.at(-1)!.arguments[2].agentId).toBe('csv');
  });

  it('it has no place for the seq of an event; 0.3 streams show it as the SSE id all the same', async () => {
    const update = (seq: number): Json => ({
      artifactUpdate: {
        taskId: 't',
        contextId: 'c',
        artifact: { artifactId: 'a', parts: [{ text: String(seq) }] },
      },
    });
    doors.on('tasks.sendStream', () => streamOf(update(1), update(2), update(3)));
    const { text } = await doors.post({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/stream',
      params: { message: MESSAGE },
    });
    expect(
      eventsOf(text).map(({ id, data }) => [id, data['result'].artifact.parts[0].text]),
    ).toEqual([
      ['1', '1'],
      ['2', '2'],
      ['3', '3'],
    ]);
  });

  it('it reads an absent blocking as false; the hub waits unless blocking is false', async () => {
    const immediately = async (configuration: Json): Promise<unknown> => {
      await doors.rpc('message/send', { message: MESSAGE, configuration });
      return doors.calls.at(-1)!.arguments[0].returnImmediately;
    };
    expect(await immediately(undefined)).toBe(false);
    expect(await immediately({ acceptedOutputModes: [] })).toBe(false);
    expect(await immediately({ blocking: true })).toBe(false);
    expect(await immediately({ blocking: false })).toBe(true);
  });

  it('it keeps the first of several push schemes; the hub keeps all', async () => {
    const authentication = { schemes: ['Unknown', 'Bearer', 'Basic'], credentials: 'secret' };
    const config = { url: 'https://example.com/hook', authentication };
    await doors.rpc('tasks/pushNotificationConfig/set', {
      taskId: 't',
      pushNotificationConfig: config,
    });
    expect(doors.calls[0]!.arguments[2]).toEqual(authentication);
    await doors.rpc('message/send', {
      message: MESSAGE,
      configuration: { pushNotificationConfig: config },
    });
    expect(doors.calls[1]!.operation).toBe('push.inline');
    expect(doors.calls[1]!.arguments[2]).toEqual(authentication);
  });

  it('a 0.2.x client names one scheme under other members; the hub keeps them as they are', async () => {
    const authentication = { type: 'http', scheme: 'bearer', credentials: 'secret' };
    await doors.rpc('tasks/pushNotification/set', {
      id: 't',
      pushNotificationConfig: { url: 'https://example.com/hook', authentication },
    });
    expect(doors.calls[0]!.arguments[2]).toEqual(authentication);
  });

  it('Nest answers a POST with 201 and knows no a2a+json; the hub answers 200 and reads it', async () => {
    for (const path of ['/a2a', '/a2a/', '/']) {
      const { status, body } = await doors.post(
        { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } },
        { path, headers: { 'content-type': 'application/a2a+json' } },
      );
      expect(status).toBe(200);
      expect(body['result']).toBeDefined();
    }
  });
});
