import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../support/json.js';
import {
  artifactOf,
  AT,
  DIALECTS,
  type EventFields,
  partsOf,
  seenIn,
  type SeenEvent,
  stateName,
  statusMessageOf,
  type State,
  textOf,
  textPart,
} from './dialects.js';
import type { SideAgent } from './side-agents.js';
import { Sides } from './sides.js';

let streaming: Sides;
let polled: Sides;

beforeAll(async () => {
  [streaming, polled] = await Promise.all([
    Sides.start({ streaming: true }),
    Sides.start({ streaming: false }),
  ]);
});

afterAll(() => Promise.all([streaming.close(), polled.close()]));

const begun: EventFields = { kind: 'task', task: { state: 'submitted' } };
const ended: EventFields = { kind: 'status', state: 'completed' };

describe.each(DIALECTS)('a client of %s', (client) => {
  describe.each(DIALECTS)('with an agent of %s', (agent) => {
    const hello = { parts: [textPart(client, 'hello')] };
    const text = (words: string): unknown => textPart(agent, words);
    const send = (): Promise<JsonObject> => polled.send(client, agent, hello);
    let answering: SideAgent;
    let showing: SideAgent;

    beforeEach(() => {
      answering = polled.agents[agent];
      showing = streaming.agents[agent];
      answering.stored = undefined;
      showing.stored = undefined;
    });

    const show = (...events: EventFields[]): Promise<SeenEvent[]> => {
      showing.stream = events;
      return streaming.stream(client, agent, hello);
    };

    it.each<State>([
      'completed',
      'failed',
      'canceled',
      'rejected',
      'input-required',
      'auth-required',
    ])('state.names: %s', async (state) => {
      answering.answer = { state };
      const task = await send();
      expect(task['status']).toMatchObject({ state: stateName(client, state) });
    });

    it('state.unknown', async () => {
      answering.answer = { state: 'unknown' };
      answering.stored = { state: 'unknown' };
      const lost = await send();
      expect(lost['status']).toMatchObject({ state: stateName(client, 'failed') });
      answering.stored = { state: 'completed' };
      const found = await send();
      expect(found['status']).toMatchObject({ state: stateName(client, 'completed') });
    });

    it('status.message', async () => {
      answering.answer = { state: 'failed', statusMessage: { parts: [text('no')] } };
      const task = await send();
      expect(partsOf(client, statusMessageOf(client, task)).map(textOf)).toEqual(['no']);
    });

    it('status.timestamp', async () => {
      const timestamp = agent === 'proto' ? AT : '2026-01-31T14:00:00+02:00';
      const begin = new Date().toISOString();
      answering.answer = { timestamp };
      const { status } = (await send()) as { status: JsonObject };
      const events = await show(begun, { kind: 'status', state: 'completed', timestamp });
      for (const written of [status['timestamp'], events.at(-1)!.timestamp]) {
        expect(written).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(String(written) >= begin).toBe(true);
      }
    });

    it('event.final', async () => {
      const events = await show(begun, { kind: 'status', state: 'working' }, ended);
      const requested = await show(begun, { kind: 'status', state: 'input-required' });
      const finals = (seen: readonly SeenEvent[]): unknown[] =>
        seen.filter(({ kind }) => kind === 'status').map(({ final }) => final);
      if (client === '1.0') expect([...finals(events), ...finals(requested)]).not.toContain(true);
      else {
        expect(finals(events).at(-1)).toBe(true);
        expect(finals(events).slice(0, -1)).not.toContain(true);
        expect(finals(requested).at(-1)).toBe(true);
      }
    });

    it('event.append', async () => {
      const chunk = (words: string, append: boolean, lastChunk: boolean): EventFields => ({
        kind: 'artifact',
        artifact: artifactOf(agent, [text(words)]),
        append,
        lastChunk,
      });
      const events = await show(
        begun,
        chunk('one', false, false),
        chunk('two', true, false),
        chunk('three', true, true),
        ended,
      );
      const chunks = events.filter(({ kind }) => kind === 'artifact');
      expect(chunks.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
        [false, false],
        [true, false],
        [true, true],
      ]);
      const task = await streaming.get(client, events[0]!.taskId);
      const [artifact] = task['artifacts'] as JsonObject[];
      expect((artifact!['parts'] as JsonObject[]).map(textOf)).toEqual(['one', 'two', 'three']);
    });

    it('event.metadata', async () => {
      const metadata = { 'urn:event': { of: [1, 'é'] } };
      const events = await show(
        begun,
        { kind: 'status', state: 'working', metadata },
        { kind: 'artifact', artifact: artifactOf(agent, [text('x')]), metadata },
        ended,
      );
      const carrying = events.filter((event) => 'urn:event' in (event.metadata ?? {}));
      expect(carrying.map(({ kind }) => kind)).toEqual(['status', 'artifact']);
      for (const event of carrying) expect(event.metadata).toMatchObject(metadata);
    });

    it('artifact.fields', async () => {
      const others = {
        artifactId: 'report',
        name: 'Report',
        description: 'What was found.',
        metadata: { 'urn:artifact': true },
        extensions: ['urn:signed'],
      };
      answering.answer = { artifacts: [artifactOf(agent, [text('x')], others)] };
      const task = await send();
      expect((task['artifacts'] as JsonObject[])[0]).toMatchObject(others);
      const artifact = artifactOf(agent, [text('x')], others);
      const events = await show(begun, { kind: 'artifact', artifact }, ended);
      const shown = events.find(({ kind }) => kind === 'artifact');
      expect(shown?.artifact).toMatchObject(others);
    });

    it('task.kind', async () => {
      answering.answer = { metadata: { 'urn:task': [1] } };
      const task = await send();
      expect(task['kind']).toBe(client === '0.3' ? 'task' : undefined);
      expect(task['metadata']).toMatchObject({ 'urn:task': [1] });
    });

    it('task.history', async () => {
      answering.answer = {};
      const { id } = await send();
      const { history } = await polled.get(client, String(id));
      const texts = (history as JsonObject[]).map((one) => partsOf(client, one).map(textOf));
      expect(texts[0]).toEqual(['hello']);
    });

    it('answer.message', async () => {
      answering.answer = { kind: 'message', message: { parts: [text('just words')] } };
      const message = await send();
      expect(partsOf(client, message).map(textOf)).toEqual(['just words']);
      const events = await show({ kind: 'message', message: { parts: [text('just words')] } });
      expect(events.map(({ kind }) => kind)).toEqual(['message']);
    });

    it('answer.task', async () => {
      answering.answer = {};
      const task = await send();
      expect(task).toMatchObject({ id: expect.any(String), status: expect.any(Object) });
      const events = await show(begun, ended);
      expect(events[0]!.kind).toBe('task');
      expect(events.slice(1).map(({ kind }) => kind)).not.toContain('task');
    });
  });

  it('stream.resume', async () => {
    const words = { parts: [textPart(client, 'hello')] };
    streaming.agents['1.0'].stream = [begun, { kind: 'status', state: 'working' }, ended];
    const events = await streaming.stream(client, '1.0', words);
    const id = events[0]!.taskId;
    if (client === 'proto') {
      await expect(
        streaming.streamLegacy('taskSubscription', { name: `tasks/${id}` }),
      ).rejects.toThrow(/FAILED_PRECONDITION/);
      return;
    }
    const method = client === '1.0' ? 'SubscribeToTask' : 'tasks/resubscribe';
    const options = { version: null, lastEventId: 1 };
    const stream = await streaming.hub.stream(method, { id }, options);
    const replayed = await stream.collect();
    const numbers = replayed.map(({ id: seq }) => Number(seq));
    expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y));
    expect(numbers[0]).toBeGreaterThan(1);
    expect(replayed.map(({ data }) => seenIn(client, data))).toEqual(events.slice(1));
  });
});
