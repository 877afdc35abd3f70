import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { startSdkAgent } from '../support/agents.js';
import { ADMIN_KEY, type Hub, startHub, startHubProcess } from '../support/app.js';
import { userMessage } from '../support/builders.js';

describe('health, metrics and unknown paths', () => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await startHub({ config: { server: { adminBodyLimit: 2048 } } });
  });
  afterAll(() => hub.close());

  it.each(['/health/live', '/health/ready', '/health/ready/'])('%s is 200', async (path) => {
    expect(await hub.get(path, { key: null })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
  });

  it('counts requests by route, unknown paths as one', async () => {
    await hub.get('/health/live', { key: null });
    await hub.get('/no/such/path/1', { key: null });
    await hub.get('/no/such/path/2', { key: null });
    const { text, headers } = await hub.get('/metrics', { key: null });
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toMatch(/duration_seconds_count\{[^}]*route="\/health\/live",status="200"\} \d/);
    expect(text).toMatch(/duration_seconds_count\{[^}]*route="\(unknown\)",status="404"\} 2/);
    expect(text).toContain('a2a_hub_process_resident_memory_bytes');
    expect(text).not.toContain('/no/such/path');
  });

  it('answers an unknown path with a problem', async () => {
    const answer = await hub.get('/api/v1/nothing', { key: null });
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.body).toMatchObject({ type: 'urn:a2a-hub:error:not-found', status: 404 });
  });

  it.each(['/api/v1/agents/%zz', `/api/v1/agents/${'a'.repeat(5000)}`])(
    'answers a path that is no path with a problem',
    async (path) => {
      const answer = await request(`${hub.url}${path}`);
      expect(answer.statusCode).toBe(400);
      expect(answer.headers['content-type']).toContain('application/problem+json');
      const problem = await answer.body.text();
      expect(JSON.parse(problem)).toMatchObject({ type: 'urn:a2a-hub:error:invalid-request' });
      expect(problem.length).toBeLessThan(300);
    },
  );

  it.each([
    [400, 'parse-error', 'JSON cut short', 'application/json', '{"name": '],
    [400, 'invalid-params', 'nothing', 'application/json', ''],
    [415, 'unsupported-media-type', 'a form', 'application/x-www-form-urlencoded', 'name=n'],
    [415, 'unsupported-media-type', 'text', 'text/plain', '{"name": "n"}'],
    [415, 'unsupported-media-type', 'XML', 'application/xml', '<name/>'],
    [400, 'invalid-request', 'nested', 'application/json', '['.repeat(65)],
    [413, 'payload-too-large', 'much', 'application/json', `{"name": "${'n'.repeat(3000)}"}`],
    [400, 'invalid-params', 'a list', 'application/json', '[]'],
    [400, 'invalid-params', 'null', 'application/json', 'null'],
  ])('answers %i %s when the admin body is %s', async (status, reason, _what, type, body) => {
    const answer = await request(`${hub.url}/api/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': type },
      body,
    });
    expect(answer.statusCode).toBe(status);
    expect(await answer.body.json()).toMatchObject({ type: `urn:a2a-hub:error:${reason}` });
  });

  it('names the fields that an empty admin body lacks', async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
    const answer = await request(`${hub.url}/api/v1/keys`, { method: 'POST', headers });
    expect(answer.statusCode).toBe(400);
    const { errors } = (await answer.body.json()) as { errors: { field: string }[] };
    expect(errors.map(({ field }) => field)).toContain('name');
  });
});

describe('the process', () => {
  it('goes on after SIGHUP', async () => {
    const hub = await startHubProcess();
    hub.hangUp();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await hub.get('/health/live', { key: null })).toBeDefined();
    expect(await hub.terminate()).toBe(0);
    await hub.close();
  });

  it('answers what is in flight after SIGTERM, then ends with 0', async () => {
    const hub = await startHubProcess();
    const body = JSON.stringify({ name: 'late' });
    const socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST /api/v1/keys HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer ${ADMIN_KEY}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body[0]}`,
    );
    // A request on another connection proves that the hub has read the first half.
    await hub.get('/health/live', { key: null });
    const ended = hub.terminate();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(hub.get('/health/ready', { key: null })).rejects.toThrow();
    socket.write(body.slice(1));
    expect(await ended).toBe(0);
    await closed;
    expect(answer).toContain('201 Created');
    expect(answer).toContain('"name":"late"');
    await hub.close();
  });

  it('ends open streams and blocking sends after SIGTERM, and leaves the tasks to go on', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const agent = await startSdkAgent({
      execute: async (turn) => {
        turn.task().working();
        await released;
      },
    });
    const hub = await startHubProcess();
    await hub.registerAgent(agent.url, { id: 'agent' });
    const message = userMessage('wait', { metadata: { agentId: 'agent' } });
    const stream = await hub.stream('SendStreamingMessage', { message });
    const blocking = hub.rpc('SendMessage', {
      message: userMessage('wait', { metadata: { agentId: 'agent' } }),
    });
    const list = async () => (await hub.rpc('ListTasks', {})).tasks as { status: object }[];
    while ((await list()).length < 2) await new Promise((resolve) => setTimeout(resolve, 25));

    const since = performance.now();
    expect(await hub.terminate()).toBe(0);
    expect(performance.now() - since).toBeLessThan(8000);
    const last = (await stream.collect()).at(-1)!;
    expect(last.error).toMatchObject({ data: [{ reason: 'UNAVAILABLE' }] });
    const { task } = await blocking;
    expect(task.status.state).toMatch(/TASK_STATE_(SUBMITTED|WORKING)/);

    await hub.restart();
    for (const { status } of await list()) {
      expect(status).toMatchObject({
        state: expect.stringMatching(/TASK_STATE_(SUBMITTED|WORKING)/),
      });
    }
    release();
    await hub.close();
    await agent.close();
  });

  it('keeps keys over a restart, and writes the first admin key to a file of its own once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-'));
    const path = join(directory, 'data', 'hub.db');
    const hub = await startHubProcess({
      databaseUrl: `sqlite:${path}`,
      environment: { A2A_HUB__AUTH__ADMIN_KEY: '' },
    });
    const file = /The first admin key is in (\S+):/.exec(hub.output)?.[1];
    expect(file).toBe(`${path}.admin-key`);
    const key = (await readFile(file!, 'utf8')).trim();
    expect(hub.output).not.toContain(key);
    expect((await hub.admin('GET', '/api/v1/keys', undefined, key)).status).toBe(200);
    for (const name of await readdir(join(directory, 'data'))) {
      const { mode } = await stat(join(directory, 'data', name));
      expect([name, (mode & 0o777).toString(8)]).toEqual([name, '600']);
    }
    expect((await stat(join(directory, 'data'))).mode & 0o777).toBe(0o700);

    const before = hub.output.length;
    await rm(file!);
    await hub.terminate();
    await hub.restart();
    expect(hub.output.slice(before)).not.toContain('admin key is in');
    await expect(stat(file!)).rejects.toThrow('ENOENT');
    expect((await hub.admin('GET', '/api/v1/keys', undefined, key)).status).toBe(200);
    await hub.close();
    await rm(directory, { recursive: true });
  });
});
