import { describe, expect, it } from '@jest/globals';
import { StreamResponse, TaskState } from '../../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../../protocol/routing-extension.js';
import { headerOf } from '../../../tasks/index.js';
import {
  LOG_START,
  type StreamCursor,
  type LogEntry,
  dueWhen,
  planEntry,
} from './delivery-plan.js';

const IDS = { taskId: 't', contextId: 'c' };

function entry(kind: LogEntry['kind'], wire: object): LogEntry {
  return { kind, header: headerOf(StreamResponse.fromJSON(wire).payload!) };
}

function status(state: string, metadata?: object): LogEntry {
  const message = metadata && { messageId: 'm', role: 'ROLE_AGENT', parts: [], metadata };
  return entry('status', { statusUpdate: { ...IDS, status: { state, message } } });
}

function chunk(artifactId: string, options: object = {}, delegationId?: string): LogEntry {
  const metadata = delegationId && { [ROUTING_EXTENSION_URI]: { delegationId } };
  const artifact = { artifactId, parts: [{ text: 'x' }], metadata };
  return entry('artifact', { artifactUpdate: { ...IDS, artifact, ...options } });
}

/** What is sent at each of these entries, in short. */
function delivered(entries: readonly LogEntry[], from: StreamCursor = LOG_START): string[][] {
  let cursor = from;
  return entries.map((each) => {
    const plan = planEntry(cursor, each);
    cursor = plan.cursor;
    return plan.deliveries.map((one) => (one.kind === 'event' ? 'event' : one.artifactId));
  });
}

const TASK = entry('task', {
  task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } },
});
const WORKING = status('TASK_STATE_WORKING');
const COMPLETED = status('TASK_STATE_COMPLETED');
const QUESTION = status('TASK_STATE_INPUT_REQUIRED');

describe('planEntry for every event', () => {
  const MESSAGE = entry('message', { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } });

  it('delivers each entry that streams show, and no message of a client', () => {
    const all = [TASK, MESSAGE, WORKING, WORKING, chunk('a'), chunk('a', { append: true })];
    const deliveries = all.map((each) => planEntry(LOG_START, each, { events: 'all' }).deliveries);
    const event = [{ kind: 'event' }];
    expect(deliveries).toEqual([event, [], event, event, event, event]);
  });

  it('remembers what it needs should it come to tell changes only', () => {
    const passed = planEntry(LOG_START, chunk('a'), { events: 'all' }).cursor;
    expect(passed).toEqual(planEntry(LOG_START, chunk('a')).cursor);
    expect(delivered([COMPLETED], passed)).toEqual([['a', 'event']]);
  });
});

describe('planEntry', () => {
  it('delivers the task, each change of state, and nothing of progress in between', () => {
    expect(delivered([TASK, WORKING, WORKING, WORKING, COMPLETED])).toEqual([
      ['event'],
      ['event'],
      [],
      [],
      ['event'],
    ]);
  });

  it('delivers every question, also one after another', () => {
    expect(delivered([TASK, WORKING, QUESTION, QUESTION])).toEqual([
      ['event'],
      ['event'],
      ['event'],
      ['event'],
    ]);
  });

  it('never delivers messages of clients or replies', () => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
    expect(delivered([entry('message', { message }), entry('reply', { message })])).toEqual([
      [],
      [],
    ]);
  });

  it('is silent about artifacts that are held back', () => {
    const held: LogEntry = { ...chunk('x', { lastChunk: true }), kind: 'held' };
    expect(delivered([held])).toEqual([[]]);
    expect(dueWhen([held])).toBeNull();
  });

  it('delivers a chunked artifact once, whole, at its last chunk', () => {
    const chunks = [
      chunk('a'),
      chunk('a', { append: true }),
      chunk('a', { append: true, lastChunk: true }),
    ];
    expect(delivered(chunks)).toEqual([[], [], ['a']]);
  });

  it('delivers an artifact that comes in one piece as it came', () => {
    expect(delivered([chunk('a', { lastChunk: true })])).toEqual([['event']]);
  });

  it('delivers what was never closed just before the end of the task', () => {
    expect(delivered([chunk('a'), chunk('b'), chunk('b', { append: true }), COMPLETED])).toEqual([
      [],
      [],
      [],
      ['a', 'b', 'event'],
    ]);
  });

  it('delivers what a delegation never closed where that delegation ends', () => {
    const ended = (delegationId: string) =>
      status('TASK_STATE_WORKING', {
        [ROUTING_EXTENSION_URI]: { delegationId, state: 'completed' },
      });
    const entries = [WORKING, chunk('a', {}, 'd1'), chunk('b', {}, 'd2'), ended('d1'), COMPLETED];
    expect(delivered(entries)).toEqual([['event'], [], [], ['a'], ['b', 'event']]);
  });

  it('delivers an artifact again when it is opened and closed again', () => {
    const again = [chunk('a', { lastChunk: true }), chunk('a', { append: true, lastChunk: true })];
    expect(delivered(again)).toEqual([['event'], ['a']]);
  });
});

describe('dueWhen', () => {
  const of = (...entries: LogEntry[]) => dueWhen(entries);

  it('is never for chunks, messages and replies', () => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: '"lastChunk":true' }] };
    expect(of(chunk('a'), chunk('a', { append: true }), entry('message', { message }))).toBeNull();
  });

  it('is always for the task, questions, ends and last chunks', () => {
    for (const each of [TASK, QUESTION, COMPLETED, chunk('a', { lastChunk: true })]) {
      expect(of(each)).toBe('always');
    }
  });

  it('depends on what the webhook knows for progress', () => {
    expect(of(WORKING, chunk('a'), WORKING)).toBe(TaskState.TASK_STATE_WORKING);
    expect(of(status('TASK_STATE_SUBMITTED'), WORKING)).toBe('always');
  });

  it('is always where a delegation ends', () => {
    const metadata = { [ROUTING_EXTENSION_URI]: { delegationId: 'd1', state: 'failed' } };
    expect(of(status('TASK_STATE_WORKING', metadata))).toBe('always');
  });

  it('says yes wherever something is sent, for every pair of entries', () => {
    const all = [TASK, WORKING, QUESTION, COMPLETED, chunk('a'), chunk('a', { lastChunk: true })];
    for (const first of all) {
      for (const second of all) {
        const before = planEntry(LOG_START, first).cursor;
        const sends = planEntry(before, second).deliveries.length > 0;
        const when = of(second);
        const due = when === 'always' || (when !== null && when !== before.state);
        if (sends) expect(due).toBe(true);
      }
    }
  });
});
