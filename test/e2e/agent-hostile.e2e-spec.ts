import { afterEach, describe, expect, it } from '@jest/globals';
import { BetterSqlite3 } from '../../src/database/better-sqlite3.js';
import { restoreRow } from '../../src/tasks/persistence/event-texts.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';

const MIB = 1024 * 1024;

let hub: Hub;
let agent: ScriptedAgent;

afterEach(async () => {
  await hub?.close();
  await agent?.close();
});

async function start(
  answer: (call: ScriptedCall) => void | Promise<void>,
  more: Record<string, (call: ScriptedCall) => void> = {},
): Promise<void> {
  agent = await ScriptedAgent.start({
    handlers: { SendStreamingMessage: answer, SendMessage: answer, ...more },
  });
  hub = await startHub({ config: { routing: { defaultAgent: 'a' } } });
  await hub.registerAgent(agent.url, { id: 'a' });
}

/** How the task that the agent answers so has ended, in words. */
async function outcome(): Promise<string> {
  const { task } = (await hub.send('go')) as { task: JsonObject };
  return JSON.stringify(await ended(String(task['id'])));
}

async function ended(id: string, historyLength?: number): Promise<JsonObject> {
  return eventually(async () => {
    const task = (await hub.rpc('GetTask', { id, historyLength })) as JsonObject;
    expect(JSON.stringify(task['status'])).toMatch(/COMPLETED|FAILED/);
    return task;
  }, 20_000);
}

const task = (state: string, more: JsonObject = {}): JsonObject => ({
  id: 't',
  contextId: 'c',
  status: { state },
  ...more,
});
const working = { task: task('TASK_STATE_WORKING') };
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const DONE = {
  statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } },
};

/** An event of a stream, with JSON as it stands in the place of `HERE`. */
function eventWith(event: JsonObject, json: string): string {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: event }).replace('"HERE"', json);
  return `data: ${text}\n\n`;
}

const artifactOf = (part: JsonObject, more: JsonObject = {}): JsonObject => ({
  artifactUpdate: {
    taskId: 't',
    contextId: 'c',
    artifact: { artifactId: 'a', parts: [part], ...more },
  },
});

/** Resolves when the hub has read what was written, or is gone. */
async function read({ response }: ScriptedCall): Promise<void> {
  while (response.writableNeedDrain && !response.destroyed) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('an artifact that is replaced again and again', () => {
  it('fails its task, with the reason, before its log fills the disk', async () => {
    let sent = 0;
    const text = 'x'.repeat(MIB);
    agent = await ScriptedAgent.start({
      handlers: {
        SendStreamingMessage: async (call) => {
          call.event(working);
          while (sent < 120 && !call.response.destroyed) {
            call.event(artifactOf({ text }));
            sent++;
            await read(call);
          }
          call.event(DONE).end();
        },
      },
    });
    hub = await startHub({
      config: { routing: { defaultAgent: 'a' }, tasks: { maxSizeBytes: 4 * MIB } },
    });
    await hub.registerAgent(agent.url, { id: 'a' });
    expect(await outcome()).toContain(
      'the log of the task, with all that was replaced, would be larger than 32 MiB',
    );
    expect(sent).toBeLessThan(120);
  });
});

describe('an event that is nested deeper than readers can follow', () => {
  it.each<[string, JsonObject, number]>([
    ['a data part', artifactOf({ data: 'HERE' }), 65],
    ['a data part', artifactOf({ data: 'HERE' }), 2500],
    ['metadata of a part', artifactOf({ text: 'x', metadata: 'HERE' }), 65],
    ['metadata of an artifact', artifactOf({ text: 'x' }, { metadata: 'HERE' }), 1000],
    ['metadata of a task', { task: task('TASK_STATE_COMPLETED', { metadata: 'HERE' }) }, 65],
  ])('fails the task and is not stored: %s', async (_what, event, levels) => {
    await start((call) => {
      call
        .event(working)
        .write(eventWith(event, nested(levels)))
        .event(DONE)
        .end();
    });
    const said = await outcome();
    expect(said).toMatch(/TASK_STATE_FAILED.*InvalidAgentResponse: .* nested more than \d+ levels/);
    expect(said).not.toContain('{"a":{"a":');
    expect(deepestStored()).toBeLessThan(64);
  });

  it.each(['1e999', '1'.repeat(400), '{"a":[-1e400]}'])(
    'fails for a number that JSON cannot say again: %s',
    async (number) => {
      await start((call) => {
        const event = eventWith(artifactOf({ data: 'HERE' }), number);
        call.event(working).write(event).event(DONE).end();
      });
      expect(await outcome()).toMatch(
        /TASK_STATE_FAILED.*InvalidAgentResponse: .* has a number that is not finite/,
      );
    },
  );

  it('passes at the bound that clients have', async () => {
    await start((call) => {
      const event = eventWith(artifactOf({ data: 'HERE' }), nested(64));
      call.event(working).write(event).event(DONE).end();
    });
    expect(await outcome()).toContain('TASK_STATE_COMPLETED');
  });
});

describe('an event in very many tiny chunks', () => {
  it('is given up, though what waits of a stream is put together before it is read', async () => {
    await start((call) => {
      call.event(working).write('data: "');
      // Node puts together what a server writes in one turn: as one chunk, in some versions.
      setImmediate(() => {
        call.response.socket!.write('1\r\nx\r\n'.repeat(20_000));
        call.write('"\n\n').event(DONE).end();
      });
    });
    expect(await outcome()).toMatch(
      /TASK_STATE_FAILED.*InvalidAgentResponse: .* comes in too small pieces/,
    );
  });
});

describe('an answer of too many values', () => {
  it('fails the task before it is parsed: one event, and a whole task', async () => {
    let isStream = true;
    await start((call) => {
      const many = `[${'{},'.repeat(isStream ? 30_000 : 2_000_000)}{}]`;
      const event = eventWith(artifactOf({ data: 'HERE' }), many);
      if (isStream) return call.event(working).write(event).end();
      const body = {
        jsonrpc: '2.0',
        id: 1,
        result: { task: task('TASK_STATE_COMPLETED', { metadata: { a: 'HERE' } }) },
      };
      call.send(200, JSON.stringify(body).replace('"HERE"', many));
    });
    expect(await outcome()).toContain(
      'InvalidAgentResponse: Scripted agent gave an answer that has more than 50000 values',
    );
    isStream = false;
    expect(await outcome()).toContain('has more than 200000 values');
  });
});

describe('a task of too many values', () => {
  const many = `[${'{},'.repeat(23_999)}{}]`;

  it('fails, with the reason, however few of them each chunk has, and takes little memory', async () => {
    let sent = 0;
    await start(async (call) => {
      call.event(working);
      const { artifactUpdate } = artifactOf({ data: 'HERE' });
      const appended = { artifactUpdate: { ...(artifactUpdate as JsonObject), append: true } };
      const chunk = eventWith(appended, many);
      for (; sent < 430 && !call.response.destroyed; sent++) {
        call.write(chunk);
        await read(call);
      }
      call.event(DONE).end();
    });
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    const look = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 20);
    const { task: begun } = (await hub.send('go')) as { task: JsonObject };
    clearInterval(look);
    const id = String(begun['id']);
    expect(JSON.stringify((await ended(id))['status'])).toContain(
      'the task would hold more than 500,000 values',
    );
    expect(sent).toBeLessThan(430);
    expect(most - before).toBeLessThan(200 * MIB);
    await hub.getTask(id);
  }, 120_000);

  it('takes no further message of its client that has too many, and goes on', async () => {
    await start((call) => {
      const state = call.text === 'done' ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED';
      const statusUpdate = { taskId: 't', contextId: 'c', status: { state } };
      call.event(working).event({ statusUpdate }).end();
    });
    const { task: begun } = (await hub.send('go')) as { task: JsonObject };
    const id = String(begun['id']);
    const parts = [{ data: JSON.parse(many) as unknown }];
    // All of them in each answer would take most of the test.
    const configuration = { historyLength: 0 };
    let taken = 0;
    const fill = async (): Promise<void> => {
      for (; taken < 20; taken++) {
        await hub.send('', { message: { taskId: id, parts }, configuration });
      }
    };
    await expect(fill()).rejects.toThrow(
      'is larger than what is left of the size limit of the task',
    );
    expect(taken).toBe(10);
    const last = { taskId: id, parts: [{ text: 'done' }] };
    await hub.send('', { message: last, configuration });
    expect(JSON.stringify((await ended(id, 0))['status'])).toContain('TASK_STATE_COMPLETED');
  }, 120_000);
});

describe('a large answer that is no attack', () => {
  it('passes: a file of 5 MiB as one part of a stream', async () => {
    const raw = Buffer.alloc(5 * MIB, 7).toString('base64');
    await start((call) => call.event(working).event(artifactOf({ raw })).event(DONE).end());
    const said = await outcome();
    expect(said).toContain('TASK_STATE_COMPLETED');
    expect(said.length).toBeGreaterThan(raw.length);
  });

  it('passes: a task of thousands of messages and chunks, asked for after a cut', async () => {
    const parts = Array.from({ length: 8000 }, (_, i) => ({ text: `chunk ${i}` }));
    const history = Array.from({ length: 3000 }, (_, i) => ({
      messageId: `m${i}`,
      role: 'ROLE_AGENT',
      parts: [{ text: 'said' }],
    }));
    const whole = task('TASK_STATE_COMPLETED', {
      artifacts: [{ artifactId: 'a', parts }],
      history,
    });
    const cut = (call: ScriptedCall): void => {
      call.event(working);
      setTimeout(() => call.cut(), 500);
    };
    await start(cut, { GetTask: (call) => call.result(whole) });
    expect(await outcome()).toContain('chunk 7999');
  });
});

interface StoredRow {
  readonly task_id: string;
  header: string | null;
  body: string;
}

/** The deepest nesting of all that is stored of tasks. */
function deepestStored(): number {
  const database = new BetterSqlite3(hub.databaseUrl.replace(/^sqlite:/, ''), { readonly: true });
  try {
    const rows = database.prepare('SELECT task_id, header, body FROM task_events').all();
    const bodies = (rows as StoredRow[]).map((row) => restoreRow(row, row.task_id).body);
    return Math.max(...bodies.map((body) => depth(JSON.parse(body))));
  } finally {
    database.close();
  }
}

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}
