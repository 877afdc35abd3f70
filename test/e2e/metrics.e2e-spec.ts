import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/observability/metrics.js';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;
let hidden: ScriptedAgent;
beforeAll(async () => {
  [hub, agent, hidden] = await Promise.all([
    startHub(),
    ScriptedAgent.start({}),
    ScriptedAgent.start({}),
  ]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
  await hub.registerAgent(hidden.url, { id: 'inner', organizations: ['acme'] });
});
afterAll(async () => {
  await hub.close();
  await agent.close();
  await hidden.close();
});

const send = (to: string) =>
  hub.rpc('SendMessage', {
    message: userMessage('hello'),
    metadata: { 'urn:a2a-hub:routing:v1': { agentId: to } },
  });

/** What an operator reads, or who has no key. */
const read = async (key?: null): Promise<string> =>
  (await (key === null ? hub.get('/metrics', { key }) : hub.admin('GET', '/metrics'))).text;

/** The value of the series, by its name and labels as they are written. */
function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const seriesIn = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('metrics', () => {
  it('tell of calls, tasks and agents what has become of them', async () => {
    await send('scripted');
    await hub.get('/a2a/tasks/nope');
    await eventually(async () => {
      const text = await read();
      const rpc = '{binding="JSONRPC",operation="SendMessage",outcome="ok"}';
      expect(valueOf(text, `a2a_hub_operation_duration_seconds_count${rpc}`)).toBeGreaterThan(0);
      const rest = '{binding="HTTP+JSON",operation="GetTask",reason="TASK_NOT_FOUND"}';
      expect(valueOf(text, `a2a_hub_operation_errors_total${rest}`)).toBe(1);
      expect(valueOf(text, 'a2a_hub_tasks_begun_total')).toBeGreaterThan(0);
      expect(valueOf(text, 'a2a_hub_tasks_ended_total{state="completed"}')).toBeGreaterThan(0);
      expect(
        valueOf(text, 'a2a_hub_task_duration_seconds_count{state="completed"}'),
      ).toBeGreaterThan(0);
      expect(valueOf(text, 'a2a_hub_delegation_queue_seconds_count')).toBeGreaterThan(0);
      expect(text).toMatch(/a2a_hub_agent_calls_total\{agent="scripted",.*outcome="ok"\} [1-9]/);
      expect(text).toMatch(
        /a2a_hub_agent_(answer|first_event)_seconds_count\{agent="scripted"\} [1-9]/,
      );
      expect(valueOf(text, 'a2a_hub_tasks_in_state{state="working"}')).toBe(0);
      expect(valueOf(text, 'a2a_hub_tasks_stuck{state="submitted"}')).toBe(0);
      expect(valueOf(text, 'a2a_hub_database_up')).toBe(1);
      expect(valueOf(text, 'a2a_hub_database_write_seconds_count')).toBeGreaterThan(0);
      expect(valueOf(text, 'a2a_hub_eventloop_busy_seconds_total')).toBeGreaterThan(0);
      expect(text).toMatch(/a2a_hub_info\{version="[^"]+",node="v[^"]+",role="all"\} 1/);
    });
  });

  it('name agents that not everybody may use to operators alone', async () => {
    await hub.admin('POST', '/api/v1/agents/inner:refresh');
    const key = await hub.createKey({ scopes: ['a2a'], organization: 'acme' });
    const metadata = { 'urn:a2a-hub:routing:v1': { agentId: 'inner' } };
    await hub.rpc('SendMessage', { message: userMessage('hello'), metadata }, { key });
    await eventually(async () => {
      expect(await read()).toContain('a2a_hub_agent_calls_total{agent="inner"');
    });
    const text = await read(null);
    expect(text).not.toContain('inner');
    expect(text).toContain('a2a_hub_agent_calls_total{agent="(hidden)"');
    expect(text).toContain('a2a_hub_agent_calls_total{agent="scripted"');
  });

  it('get no series from what clients make up', async () => {
    const invent = async (): Promise<void> => {
      const odd = randomUUID();
      await hub.get(`/${odd}`);
      await hub.get(`/a2a/tasks/${odd}`);
      await hub.get(`/a2a/agents/${odd}/tasks`);
      await hub.rpc(odd, {}).catch(() => undefined);
      await hub.rpc('GetTask', { id: odd, [odd]: odd }).catch(() => undefined);
      await hub.rpc('SendMessage', { [odd]: odd }).catch(() => undefined);
      await hub.get('/a2a/tasks', { key: odd });
      await hub.get(`/api/v1/agents/${odd}`);
      await send(odd).catch(() => undefined);
    };
    await invent();
    await read();
    const names = (text: string): string[] => seriesIn(text).map((line) => line.split(' ')[0]!);
    const before = new Set(names(await read()));
    for (let i = 0; i < 10; i++) await invent();
    const added = names(await read()).filter(
      (name) => !before.has(name) && !name.startsWith('a2a_hub_nodejs_active_'),
    );
    expect(added).toEqual([]);
  });

  it('get no series from what agents answer', async () => {
    const words = /[0-9a-f]{8}-[0-9a-f]{4}|127\.0\.0\.1|hello/;
    expect(seriesIn(await read()).filter((line) => words.test(line))).toEqual([]);
  });

  it('are there while the database cannot be read, but for what is read from it', async () => {
    const metrics = hub.app.get(Metrics);
    metrics.gauge('failing', 'Fails.', [], async () => Promise.reject(new Error('away')));
    metrics.gauge('hanging', 'Hangs.', [], () => new Promise(() => undefined));
    const text = await read();
    expect(text).not.toContain('# HELP a2a_hub_failing');
    expect(text).not.toContain('# HELP a2a_hub_hanging');
    expect(valueOf(text, 'a2a_hub_metrics_unread_total{metric="a2a_hub_failing"}')).toBe(1);
    expect(valueOf(text, 'a2a_hub_tasks_begun_total')).toBeGreaterThan(0);
  });
});
