import { describe, expect, it } from '@jest/globals';
import { Role, TaskState, type Artifact, type Message, type Task } from './a2a.js';
import { agentMessage, artifactUpdate, type Payload, statusUpdate, textPart } from './build.js';
import { ContentsNotKeptError, isOutline, outlineOf } from './outline.js';
import { applyEvent, cloneTask, emptyTask } from './task-reducer.js';

const REF = { taskId: 't', contextId: 'c' };
const AT = new Date('2026-01-01T00:00:00Z');
const { TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED } = TaskState;

const status = (state: TaskState, text?: string) =>
  statusUpdate(REF, state, AT, text === undefined ? undefined : agentMessage(text, REF, text));

const chunk = (id: string, text: string, append = false, fields: Partial<Artifact> = {}) =>
  artifactUpdate(REF, { artifact: artifact(id, text, fields), append, lastChunk: false });

const artifact = (artifactId: string, text: string, fields: Partial<Artifact> = {}): Artifact => ({
  artifactId,
  name: '',
  description: '',
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
  ...fields,
});

const metadataOf = (payload: Payload) =>
  payload.$case === 'artifactUpdate' ? payload.value.artifact?.metadata : undefined;

const client = (messageId: string): { $case: 'message'; value: Message } => ({
  $case: 'message',
  value: { ...agentMessage(messageId, REF, messageId), role: Role.ROLE_USER },
});

const texts = ({ parts }: Artifact): unknown[] => parts.map((part) => part.content?.value);
const history = (task: Task): string[] => task.history.map((message) => message.messageId);

describe('the reducer', () => {
  it('moves the message of a status into the history when the next status comes', () => {
    const task = emptyTask('t', 'c');
    applyEvent(task, status(TASK_STATE_WORKING, 'one'));
    expect(history(task)).toEqual([]);
    applyEvent(task, status(TASK_STATE_WORKING, 'two'));
    expect(history(task)).toEqual(['one']);
    expect(task.status?.message?.messageId).toBe('two');
  });

  it('puts the messages of the client into the history unchanged, after the question', () => {
    const task = emptyTask('t', 'c');
    const [first, second] = [client('m1'), client('m2')];
    applyEvent(task, first, 'message');
    applyEvent(task, status(TASK_STATE_INPUT_REQUIRED, 'which?'));
    applyEvent(task, second, 'message');
    applyEvent(task, status(TASK_STATE_WORKING));
    expect(history(task)).toEqual(['m1', 'which?', 'm2']);
    expect(task.history[0]).toBe(first.value);
    expect(task.history[2]).toBe(second.value);
  });

  it('leaves a reply to its sender', () => {
    const task = emptyTask('t', 'c');
    expect(applyEvent(task, client('m1'), 'reply')).toEqual(emptyTask('t', 'c'));
  });

  it('appends chunks, and begins an artifact nobody has heard of', () => {
    const task = emptyTask('t', 'c');
    applyEvent(task, chunk('x', 'one', true));
    applyEvent(task, chunk('y', 'other'));
    applyEvent(task, chunk('x', 'two', true));
    expect(task.artifacts.map(texts)).toEqual([['one', 'two'], ['other']]);
  });

  it('takes the name and the metadata that a chunk brings', () => {
    const task = emptyTask('t', 'c');
    applyEvent(task, chunk('x', 'one', false, { name: 'draft', metadata: { a: 1, b: 1 } }));
    const more = { name: 'final', description: 'd', metadata: { b: 2 }, extensions: ['urn:e'] };
    applyEvent(task, chunk('x', 'two', true, more));
    expect(task.artifacts[0]).toMatchObject({ ...more, metadata: { a: 1, b: 2 } });
  });

  it('adds the extensions that chunks bring, each once, up to about a thousand', () => {
    const task = emptyTask('t', 'c');
    const named = (from: number): string[] =>
      Array.from({ length: 100 }, (_, at) => `urn:${from + at}`);
    applyEvent(task, chunk('x', 'one', false, { extensions: named(0) }));
    applyEvent(task, chunk('x', 'two', true, { extensions: named(50) }));
    expect(task.artifacts[0]!.extensions).toEqual([...named(0), ...named(100).slice(0, 50)]);
    for (let from = 1000; from < 100_000; from += 100) {
      applyEvent(task, chunk('x', 'more', true, { extensions: named(from) }));
    }
    expect(task.artifacts[0]!.extensions).toHaveLength(1050);
    expect(task.artifacts[0]!.parts).toHaveLength(992);
  });

  it('replaces an artifact that is given anew, in its place', () => {
    const task = emptyTask('t', 'c');
    applyEvent(task, chunk('x', 'one'));
    applyEvent(task, chunk('y', 'other'));
    applyEvent(task, chunk('x', 'two'));
    expect(task.artifacts.map(texts)).toEqual([['two'], ['other']]);
  });

  it('never erases artifacts because a whole task mentions none', () => {
    const task = emptyTask('t', 'c');
    applyEvent(task, chunk('x', 'one'));
    const value = { ...emptyTask('t', 'c'), status: { ...emptyTask('t', 'c').status!, state: 3 } };
    applyEvent(task, { $case: 'task', value });
    expect(task.artifacts).toHaveLength(1);
    expect(task.status?.state).toBe(TASK_STATE_COMPLETED);
  });

  it('gives a task that is outlined its status and metadata, and keeps nothing else', () => {
    let task = emptyTask('t', 'c');
    applyEvent(task, chunk('a', 'one'));
    applyEvent(task, status(TASK_STATE_WORKING, 'step'));
    task.metadata = { first: 1 };
    task = outlineOf(task);
    expect(isOutline(task)).toBe(true);
    expect(outlineOf(task)).toBe(task);
    expect(() => task.status?.message).toThrow(ContentsNotKeptError);
    applyEvent(task, client('m1'), 'message');
    const timestamp = AT.toISOString();
    expect(task.status).toEqual({ state: TASK_STATE_WORKING, timestamp });
    applyEvent(task, chunk('a', 'two', true));
    applyEvent(task, chunk('b', 'other'));
    const asked = agentMessage('which?', REF, 'which?');
    applyEvent(task, statusUpdate(REF, TASK_STATE_INPUT_REQUIRED, AT, asked, { n: 2 }));
    expect(task.status?.state).toBe(TASK_STATE_INPUT_REQUIRED);
    expect(() => task.status?.message).toThrow(ContentsNotKeptError);
    expect(task.metadata).toEqual({ first: 1, n: 2 });
    applyEvent(task, { $case: 'task', value: { ...emptyTask('t', 'c'), metadata: { n: 3 } } });
    expect(task.metadata).toEqual({ first: 1, n: 3 });
    expect(() => task.artifacts).toThrow(ContentsNotKeptError);
    expect(() => task.history).toThrow(ContentsNotKeptError);
    expect(() => cloneTask(task)).toThrow(ContentsNotKeptError);
    applyEvent(task, status(TASK_STATE_COMPLETED));
    applyEvent(task, status(TASK_STATE_WORKING));
    expect(task.status).toEqual({ state: TASK_STATE_COMPLETED, timestamp });
  });

  it('takes over what a whole task has, and what it knows already only once', () => {
    const task = emptyTask('t', 'c');
    applyEvent(task, client('m1'), 'message');
    applyEvent(task, chunk('x', 'one'));
    applyEvent(task, status(TASK_STATE_WORKING, 'step'));
    const value: Task = {
      ...emptyTask('t', 'c'),
      artifacts: [artifact('x', 'two'), artifact('y', 'new')],
      history: [client('m1').value, agentMessage('step', REF, 'step'), client('m2').value],
      metadata: { k: 'v' },
    };
    applyEvent(task, { $case: 'task', value });
    expect(task.artifacts.map(texts)).toEqual([['two'], ['new']]);
    expect(history(task)).toEqual(['m1', 'step', 'm2']);
    expect(task.metadata).toEqual({ k: 'v' });
  });

  it('changes nothing after the end', () => {
    const task = emptyTask('t', 'c');
    applyEvent(task, status(TASK_STATE_COMPLETED));
    const end = cloneTask(task);
    applyEvent(task, status(TaskState.TASK_STATE_CANCELED));
    applyEvent(task, chunk('late', 'x'));
    applyEvent(task, client('late'), 'message');
    expect(task).toEqual(end);
  });

  it('never changes the events it is given, nor a clone taken before', () => {
    const task = emptyTask('t', 'c');
    const first = chunk('x', 'one');
    applyEvent(task, first);
    const before = cloneTask(task);
    applyEvent(task, chunk('x', 'two', true));
    applyEvent(task, client('m1'), 'message');
    applyEvent(task, status(TASK_STATE_WORKING));
    expect(first.$case === 'artifactUpdate' && first.value.artifact?.parts).toHaveLength(1);
    expect(before.artifacts.map(texts)).toEqual([['one']]);
    expect(before.history).toEqual([]);
    expect(before.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
  });

  it('adds to metadata in place, however much there is, but never to that of an event or a clone', () => {
    const task = emptyTask('t', 'c');
    const events = ['a', 'b', 'c'].map((name) =>
      chunk('x', name, true, { metadata: { [name]: 1 } }),
    );
    applyEvent(task, events[0]!);
    applyEvent(task, events[1]!);
    const ofTwo = task.artifacts[0]?.metadata;
    const clone = cloneTask(task);
    applyEvent(task, events[2]!);
    expect(clone.artifacts[0]?.metadata).toEqual({ a: 1, b: 1 });
    expect(task.artifacts[0]?.metadata).toEqual({ a: 1, b: 1, c: 1 });
    expect(ofTwo).toBe(clone.artifacts[0]?.metadata);
    const ofThree = task.artifacts[0]?.metadata;
    applyEvent(task, chunk('x', 'd', true, { metadata: { d: 1, a: 2 } }));
    expect(task.artifacts[0]?.metadata).toBe(ofThree);
    expect(ofThree).toEqual({ a: 2, b: 1, c: 1, d: 1 });
    applyEvent(clone, chunk('x', 'e', true, { metadata: { e: 1 } }));
    expect(clone.artifacts[0]?.metadata).toEqual({ a: 1, b: 1, e: 1 });
    expect(ofThree).not.toHaveProperty('e');
    expect(events.map(metadataOf)).toEqual([{ a: 1 }, { b: 1 }, { c: 1 }]);
  });

  it('takes a member that is named __proto__ for what it is', () => {
    const task = emptyTask('t', 'c');
    const metadata = JSON.parse('{"__proto__": {"admin": true}}') as Record<string, unknown>;
    applyEvent(task, statusUpdate(REF, TASK_STATE_WORKING, AT, undefined, { a: 1 }));
    applyEvent(task, statusUpdate(REF, TASK_STATE_WORKING, AT, undefined, metadata));
    expect(Object.keys(task.metadata ?? {})).toEqual(['a', '__proto__']);
    expect(Object.getPrototypeOf(task.metadata)).toBe(Object.prototype);
  });

  it('finds its place among many artifacts, also in a clone', () => {
    let task = emptyTask('t', 'c');
    for (let i = 0; i < 100; i++) applyEvent(task, chunk(`x${i}`, 'one'));
    task = cloneTask(task);
    for (let i = 99; i >= 0; i--) applyEvent(task, chunk(`x${i}`, 'two', true));
    applyEvent(task, chunk('new', 'one'));
    expect(task.artifacts).toHaveLength(101);
    expect(task.artifacts.every((each, i) => each.parts.length === (i === 100 ? 1 : 2))).toBe(true);
  });

  it('costs the same for a chunk however many came before', () => {
    const times = [2_000, 200_000].map((count) => {
      const task = emptyTask('t', 'c');
      const next = chunk('x', 'y', true);
      for (let i = 0; i < count; i++) applyEvent(task, next);
      const start = process.hrtime.bigint();
      for (let i = 0; i < 2_000; i++) applyEvent(task, next);
      return Number(process.hrtime.bigint() - start);
    });
    expect(times[1]! / times[0]!).toBeLessThan(20);
  });
});
