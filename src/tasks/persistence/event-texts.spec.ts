import { describe, expect, it } from '@jest/globals';
import { EVENT_KINDS, type EventKind } from '../task.js';
import { shortBody, shortHeader, wholeText } from './event-texts.js';

const TASK = '01a22da9-9e3d-779b-bf2e-c990889eac27';
const CONTEXT = '01a22da9-9e3d-779b-bf2e-cc94687fa63a';
const DELEGATION = '01a22da9-9e3d-779b-bf2e-d0b50bb86aeb';
const ROUTING = 'urn:a2a-hub:routing:v1';
const timestamp = '2026-11-30T18:13:40.541Z';

const WORKING = { state: 'TASK_STATE_WORKING', timestamp };
const artifactOf = (text: string) => ({
  artifactId: 'answer',
  parts: [{ text }],
  metadata: { [ROUTING]: { agentId: 'light', delegationId: DELEGATION } },
});
const message = (messageId: string, role: string, text: string) => ({
  ...{ messageId, contextId: CONTEXT, taskId: TASK, role },
  parts: [{ text }],
});

const TEXTS: readonly (readonly [kind: EventKind, event: object, most: number])[] = [
  [
    'task',
    {
      task: {
        ...{ id: TASK, contextId: CONTEXT, status: { state: 'TASK_STATE_SUBMITTED', timestamp } },
        metadata: { [ROUTING]: { reason: 'agent', strategy: 'one', agents: [{ agentId: 'l' }] } },
      },
    },
    60,
  ],
  ['message', { message: message('m1', 'ROLE_USER', 'What?') }, 60],
  ['reply', { message: message('m2', 'ROLE_AGENT', 'That.') }, 60],
  ['status', { statusUpdate: { taskId: TASK, contextId: CONTEXT, status: WORKING } }, 50],
  [
    'status',
    {
      statusUpdate: {
        ...{ taskId: TASK, contextId: 'chosen by a client' },
        status: { ...WORKING, message: message('m3', 'ROLE_AGENT', 'half \u0001 way\u0007 "') },
      },
    },
    200,
  ],
  [
    'artifact',
    {
      artifactUpdate: { taskId: TASK, contextId: CONTEXT, artifact: artifactOf('x'), append: true },
    },
    60,
  ],
  ['held', { artifactUpdate: { taskId: TASK, contextId: CONTEXT, artifact: artifactOf('x') } }, 60],
];

describe('texts of the log', () => {
  it.each(TEXTS)('are short, and whole again: %s', (kind, event, most) => {
    const body = JSON.stringify(event);
    const short = shortBody({ taskId: TASK, kind, body });
    expect(short.length).toBeLessThanOrEqual(most);
    expect(wholeText(TASK, short)).toBe(body);
  });

  it('are whole again whatever ids and texts say', () => {
    const ids = [TASK, '$&', "$'", 'a', TASK.toUpperCase(), '', '{"task":{"id":"', 'x'.repeat(36)];
    const words = [
      TASK,
      TASK.slice(0, 24),
      '","contextId":"',
      'Z"}}}',
      '\u0001\u0002\u001f',
      '$1',
      '\u2028',
    ];
    for (const taskId of ids) {
      for (const kind of EVENT_KINDS) {
        for (const [, event] of TEXTS) {
          for (const word of words) {
            const body = JSON.stringify({ ...event, [word]: [word, { word }] });
            expect(wholeText(taskId, shortBody({ taskId, kind, body }))).toBe(body);
          }
        }
      }
    }
  });

  it('of messages begin as they are, also with an id like that of the task', () => {
    const [context, task] = [`,"contextId":"${CONTEXT}"`, `,"taskId":"${TASK}"`];
    const beginning = `{"message":{"messageId":"${DELEGATION}"`;
    const body = `${beginning}${context}${task},"role":"ROLE_USER","parts":[{"text":"a"}]}}`;
    const short = shortBody({ taskId: TASK, kind: 'message', body });
    expect(short.startsWith(beginning)).toBe(true);
    expect(short.length).toBeLessThan(body.length - 100);
    expect(wholeText(TASK, short)).toBe(body);
  });

  it('are stored as they are when they are long', () => {
    for (const kind of EVENT_KINDS) {
      for (const [before, after] of [
        [3000, 0],
        [0, 3000],
        [1900, 300],
      ] as const) {
        const text = 'x'.repeat(after);
        const body = JSON.stringify({ message: message('m'.repeat(before), 'ROLE_USER', text) });
        expect(shortBody({ taskId: TASK, kind, body })).toBe(body);
        expect(wholeText(TASK, body)).toBe(body);
      }
    }
  });

  it('are what they say when they were stored before', () => {
    for (const [, event] of TEXTS) {
      expect(wholeText(TASK, JSON.stringify(event))).toBe(JSON.stringify(event));
    }
  });

  it('have headers without what their delegations begin with', () => {
    const header = JSON.stringify(['answer', 2, DELEGATION]);
    const short = shortHeader(TASK, header)!;
    expect(short.length).toBeLessThan(30);
    expect(wholeText(TASK, short)).toBe(header);
    expect(shortHeader(TASK, null)).toBeNull();
    const long = JSON.stringify([`${TASK}${'x'.repeat(3000)}`, 0]);
    expect(shortHeader(TASK, long)).toBe(long);
  });
});
