import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Hub, startHub } from '../support/app.js';
import { clipboard, dialogOf, hubHas, press } from '../support/browser/actions.js';
import { ConsoleBrowser } from '../support/browser/console.js';
import { eventually } from '../support/eventually.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const run = promisify(execFile);
const WAIT_MS = 15_000;
/** What a shell, Python and JavaScript each take for something else. */
const NASTY = `It's "quoted" \\n \\' ''' \${HOME} $HOME \`id\` %s\nJSON\n</script> é 😀`;
/** What the copied program needs of httpx, on nothing but Python's own library. */
const HTTPX = `
import json
import urllib.request
from contextlib import contextmanager


class Response:
    def __init__(self, answer):
        self.answer = answer

    @property
    def text(self):
        return self.answer.read().decode()

    def iter_lines(self):
        return (line.decode().rstrip() for line in self.answer)


def post(url, headers, json: object, timeout):
    import json as form
    data = form.dumps(json).encode()
    return Response(urllib.request.urlopen(urllib.request.Request(url, data, headers)))


@contextmanager
def stream(method, url, headers, json, timeout):
    yield post(url, headers, json, timeout)
`;

/** A stream that begins as those of the hub do, has one heartbeat, and is silent for good. */
const DYING = `(() => {
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
  const data = JSON.stringify({ jsonrpc: '2.0', id: '1', result: { task } });
  globalThis.realFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    if (!String(input?.url ?? input).endsWith('/a2a')) return globalThis.realFetch(input, init);
    const body = new ReadableStream({
      start(to) {
        to.enqueue(new TextEncoder().encode('id: 1\\ndata: ' + data + '\\n\\n: heartbeat every 100 ms\\n\\n'));
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
})()`;
/** Files are read after half a second. */
const SLOW_FILES = `(() => {
  const read = FileReader.prototype.readAsDataURL;
  FileReader.prototype.readAsDataURL = function (file) {
    setTimeout(() => read.call(this, file), 500);
  };
})()`;

let hub: Hub;
let agent: ScriptedAgent;
let asker: ScriptedAgent;
let slow: ScriptedAgent;
let own: ConsoleBrowser;
let page: Page;
let folder: string;

beforeAll(async () => {
  [agent, asker, slow, folder] = await Promise.all([
    ScriptedAgent.start(),
    ScriptedAgent.start({ name: 'Asks Back', live: { askAfter: 1 } }),
    ScriptedAgent.start({ live: { manual: true } }),
    mkdtemp(join(tmpdir(), 'a2a-hub-copied-')),
  ]);
  hub = await startHub();
  await hub.registerAgent(agent.url, { id: 'agent' });
  await hub.registerAgent(asker.url, { id: 'asker' });
  await hub.registerAgent(slow.url, { id: 'slow' });
  own = await ConsoleBrowser.open(hub.url);
  page = await own.signIn('playground');
});

afterAll(async () => {
  await Promise.all([own, hub, agent, asker, slow].map((each) => each?.close()));
  await rm(folder, { recursive: true, force: true });
});

/** Each test begins a conversation of its own. */
beforeEach(async () => {
  await own.goTo('playground', 'Playground');
  const clear = page.getByRole('button', { name: 'New conversation' });
  if ((await clear.count()) > 0) await clear.click();
  await page.getByText('Nothing said yet').waitFor();
});

const log = (): Locator => page.getByRole('log', { name: 'Conversation' });
const wire = (): Locator => page.getByRole('log', { name: 'Wire' });

/** To which agent one writes, and how one waits. */
async function write(to: string, text: string, mode = 'stream'): Promise<void> {
  await page.getByLabel('To', { exact: true }).selectOption('agent');
  await page.getByLabel('Agent', { exact: true }).fill(to);
  await page.getByLabel('How', { exact: true }).selectOption(mode);
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
}

/** The id of the task that the conversation shows. */
async function taskId(): Promise<string> {
  const link = log().getByRole('link', { name: 'Why and how: the task' }).last();
  return (await link.getAttribute('href'))!.split('/').at(-1)!;
}

describe('the playground', () => {
  it('takes what is written along to the dry run, and has it still afterwards', async () => {
    await write('agent', 'Is this the right agent?');
    await page.getByRole('link', { name: 'Who would get it?' }).click();
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.waitFor();
    expect(await text.inputValue()).toBe('Is this the right agent?');
    expect(page.url()).not.toContain('right');
    // Who would get it was the question: it is answered at once.
    const answer = page.locator('.routing-answer');
    await answer.getByRole('link', { name: 'agent', exact: true }).first().waitFor();
    await page.goBack();
    const message = page.getByRole('textbox', { name: 'Message', exact: true });
    await message.waitFor();
    expect(await message.inputValue()).toBe('Is this the right agent?');
    await page.getByText('Data, metadata and media types').click();
    const metadata = page.getByRole('textbox', { name: 'Metadata of the message (JSON)' });
    await metadata.fill('{"tier": "gold"}');
    const file = { name: 'sums.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('sums.csv').waitFor();
    await page.getByRole('link', { name: 'Who would get it?' }).click();
    const json = page.getByRole('textbox', { name: 'The message as JSON' });
    await json.waitFor();
    await eventually(async () =>
      expect(await json.inputValue()).toMatch(/right agent[^]*sums.csv[^]*text.csv[^]*gold/),
    );
    expect(await json.inputValue()).not.toContain(file.buffer.toString('base64'));
    // It is taken along once.
    await own.goTo('agents', 'Agents');
    await own.goTo('routing/dry-run', 'Routing');
    expect(await text.inputValue()).toBe('');
    await own.goTo('playground', 'Playground');
    // Nothing is sent unseen.
    expect(await metadata.inputValue()).toContain('gold');
    await metadata.fill('');
    await message.fill('');
    await page.getByText('Data, metadata and media types').click();
  });

  it('streams: what an agent makes is shown as it comes', async () => {
    await write('slow', 'go on');
    await press(page, 'Send');
    await eventually(() => expect(slow.tasks.size).toBe(1), WAIT_MS);
    const [task] = slow.tasks.values();
    task!.chunk('the first part');
    await log().getByText('the first part').waitFor();
    await log().getByText('working').first().waitFor();
    const id = await taskId();
    await hubHas(hub, `/api/v1/tasks/${id}`, { state: 'working' });
    task!.end();
    await log().getByText('completed').first().waitFor();
    await hubHas(hub, `/api/v1/tasks/${id}`, { state: 'completed' });
    await wire().getByText('SendStreamingMessage').first().waitFor();
    await wire().getByText('TASK_STATE_COMPLETED').first().waitFor();
  });

  it('shows what an agent makes once, however one reads the task and listens again', async () => {
    await write('slow', 'go on');
    const before = new Set(slow.tasks.keys());
    await press(page, 'Send');
    await eventually(() => expect(slow.tasks.size).toBe(before.size + 1), WAIT_MS);
    const task = [...slow.tasks].find(([id]) => !before.has(id))![1];
    const artifact = log().getByRole('article', { name: 'Artifact Numbered chunks' });
    const words = async (): Promise<string[]> =>
      (await artifact.textContent())!.match(/one|two|three|four/g) ?? [];
    const has = (...wanted: string[]): Promise<unknown> =>
      eventually(async () => expect(await words()).toEqual(wanted), WAIT_MS);
    task.chunk('one ');
    await artifact.waitFor();
    await has('one');
    await press(log(), 'Stop listening');
    task.chunk('two ');
    await press(log(), 'Listen');
    await has('one', 'two');
    await press(log(), 'Stop listening');
    task.chunk('three ');
    await eventually(async () => {
      await press(log(), 'Read the task');
      await log().getByRole('button', { name: 'Read the task' }).waitFor();
      expect(await words()).toEqual(['one', 'two', 'three']);
    }, WAIT_MS);
    await press(log(), 'Listen');
    task.chunk('four');
    await eventually(async () => expect(await words()).toContain('four'), WAIT_MS);
    expect(await words()).toEqual(['one', 'two', 'three', 'four']);
    task.end();
    await log().getByText('completed').first().waitFor();
  });

  it('notices that a stream has died', async () => {
    await page.evaluate(DYING);
    try {
      await write('agent', 'hello');
      await press(page, 'Send');
      await log().getByText('The hub has fallen silent').waitFor();
      expect(await log().getByText('Listening …').count()).toBe(0);
    } finally {
      await page.evaluate('globalThis.fetch = globalThis.realFetch');
    }
  });

  it('has the message in its box again when the hub was not reached with it', async () => {
    await page.route('**/a2a', (route) => route.abort('connectionrefused'), { times: 1 });
    await write('agent', 'to be kept');
    await press(page, 'Send');
    await log().getByText('nothing is known to have begun there').waitFor();
    expect(await log().getByText('What has begun goes on there').count()).toBe(0);
    const box = page.getByRole('textbox', { name: 'Message', exact: true });
    expect(await box.inputValue()).toBe('to be kept');
    await press(page, 'Send');
    await log().getByText('completed').first().waitFor();
    expect(await box.inputValue()).toBe('');
  });

  it('sends a message once, however long its files are read', async () => {
    const before = agent.calls.length;
    await page.evaluate(SLOW_FILES);
    await write('agent', 'with a slow file');
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
    await page.getByLabel('Files to send').setInputFiles(file);
    await page.getByRole('list', { name: 'Files to be sent' }).getByText('a.txt').waitFor();
    const message = page.getByRole('textbox', { name: 'Message', exact: true });
    await message.press('Control+Enter');
    await message.press('Control+Enter');
    await log().getByText('completed').first().waitFor();
    await eventually(async () => expect(await message.inputValue()).toBe(''));
    expect(await log().getByRole('article', { name: /^To / }).count()).toBe(1);
    expect(agent.calls.length).toBe(before + 1);
  });

  it.each([
    ['wait', 'completed'],
    ['return', 'submitted'],
  ])('waits for the result, or only begins it (%s)', async (mode, state) => {
    const before = agent.calls.length;
    await write('agent', `by ${mode}`, mode);
    await press(page, 'Send');
    await log().getByText(state).first().waitFor();
    await wire().getByText('SendMessage', { exact: true }).first().waitFor();
    await hubHas(hub, `/api/v1/tasks/${await taskId()}`, {
      state: 'completed',
    });
    expect(agent.calls.slice(before).map((call) => call.text)).toEqual([`by ${mode}`]);
  });

  it('sends files, data and metadata', async () => {
    const bytes = Buffer.from([0, 255, 1, 254]);
    await write('agent', 'with a file');
    await page.getByLabel('Files to send').setInputFiles({
      name: 'a.bin',
      mimeType: 'application/x-own',
      buffer: bytes,
    });
    await page.getByRole('list', { name: 'Files to be sent' }).getByText('a.bin').waitFor();
    await page.getByText('Data, metadata and media types').click();
    await page.getByRole('textbox', { name: 'Data (JSON), a part of its own' }).fill('{"a": [1]}');
    await page
      .getByRole('textbox', { name: 'Metadata of the message (JSON)' })
      .fill('{"https://own.example/x": true}');
    await press(page, 'Send');
    await log().getByText('completed').first().waitFor();
    const { message } = agent.callsOf('SendStreamingMessage').at(-1)!;
    expect(message['parts']).toEqual([
      expect.objectContaining({ text: 'with a file' }),
      expect.objectContaining({ data: { a: [1] } }),
      expect.objectContaining({
        raw: bytes.toString('base64'),
        filename: 'a.bin',
      }),
    ]);
    expect(message['metadata']).toMatchObject({
      'https://own.example/x': true,
    });
  });

  it('answers a question', async () => {
    await write('asker', 'ask me');
    await press(page, 'Send');
    await page.getByLabel('Your answer', { exact: true }).fill('The blue one.');
    await press(page, 'Send the answer');
    await log().getByText('completed').last().waitFor();
    await hubHas(hub, `/api/v1/tasks/${await taskId()}`, {
      state: 'completed',
    });
    expect(asker.callsOf('SendStreamingMessage').at(-1)!.text).toBe('The blue one.');
  });

  it('cancels', async () => {
    await write('slow', 'for ever');
    await press(page, 'Send');
    await log().getByRole('button', { name: 'Cancel the task' }).click();
    await log().getByText('canceled').first().waitFor();
    await hubHas(hub, `/api/v1/tasks/${await taskId()}`, { state: 'canceled' });
  });

  it('goes to the agent whose name was typed just before', async () => {
    const before = asker.callsOf('SendStreamingMessage').length;
    await write('', 'hello');
    await page.getByLabel('Agent', { exact: true }).fill('asks back');
    await press(page, 'Send');
    await page.getByLabel('Your answer', { exact: true }).waitFor();
    expect(asker.callsOf('SendStreamingMessage')).toHaveLength(before + 1);
    expect(await log().getByRole('alert').count()).toBe(0);
  });

  it('says which agents there are when one is not named, or is not there', async () => {
    await page.getByLabel('To', { exact: true }).selectOption('agent');
    const name = page.getByLabel('Agent', { exact: true });
    await page
      .getByText('No agent is chosen: the hub chooses one. There are agent, asker, slow.')
      .waitFor();
    await name.fill('agnt');
    const unknown = page.getByText('“agnt” is no agent of the hub’s card.');
    await page
      .getByText('“agnt” is no agent of the hub’s card. There are agent, asker, slow.')
      .waitFor();
    await name.fill('agent');
    await unknown.waitFor({ state: 'detached' });
    await page.getByLabel('To', { exact: true }).selectOption('skill');
    await page.getByText('No skill is chosen: the hub chooses the agent.').waitFor();
    await page.getByLabel('Skill', { exact: true }).fill('<b>nope</b>');
    await page.getByText(/^“<b>nope<\/b>” is no skill of the hub’s card\. There are /).waitFor();
    await page.getByLabel('To', { exact: true }).selectOption('hub');
    expect(await page.getByText(/ is chosen: /).count()).toBe(0);
    expect(await own.axe()).toEqual([]);
  });

  it('shows why the hub refuses a message', async () => {
    await write('nobody', 'hello');
    await press(page, 'Send');
    await log().getByRole('alert').waitFor();
  });
});

describe('what is copied as code', () => {
  /** Sends the nasty text and copies its request in a language; what the program prints. */
  async function copied(
    language: string,
    mode: string,
    start: (code: string, env: NodeJS.ProcessEnv) => Promise<string>,
  ): Promise<void> {
    await write('agent', NASTY, mode);
    await press(page, 'Send');
    await log().getByText('completed').first().waitFor();
    await press(wire(), 'Copy as …');
    const method = mode === 'stream' ? 'SendStreamingMessage' : 'SendMessage';
    const dialog = dialogOf(page, `${method} as code`);
    await dialog.getByRole('tab', { name: language, exact: true }).click();
    await press(dialog, `Copy as ${language}`);
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const code = await clipboard(page);
    await press(dialog, 'Close');
    expect(code).not.toContain(hub.adminKey);
    const before = agent.callsOf('SendStreamingMessage').length;
    // Another caller: of the same one the hub would know the message again.
    const key = await hub.createKey({ organization: 'default' });
    const answer = await start(code, {
      ...process.env,
      A2A_HUB_KEY: key,
      PYTHONPATH: folder,
    });
    expect(answer).toContain('TASK_STATE_COMPLETED');
    const calls = agent.callsOf('SendStreamingMessage');
    expect(calls).toHaveLength(before + 1);
    expect(calls.at(-1)!.text).toBe(NASTY);
  }

  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };

  it.each(['stream', 'wait'])('runs in a shell by curl (%s)', (mode) =>
    copied('curl', mode, async (code, env) => {
      return (await run('/bin/sh', [await file('request.sh', code)], { env })).stdout;
    }),
  );

  it.each(['stream', 'wait'])('runs in node (%s)', (mode) =>
    copied('JavaScript', mode, async (code, env) => {
      return (await run(process.execPath, [await file('request.mjs', code)], { env })).stdout;
    }),
  );

  it.each(['stream', 'wait'])('runs in Python (%s)', (mode) =>
    copied('Python', mode, async (code, env) => {
      await file('httpx.py', HTTPX);
      return (await run('python3', [await file('request.py', code)], { env })).stdout;
    }),
  );
});
