import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { describe, expect, it } from '@jest/globals';
import { countTurns } from '../../common/fake-loop-turns.js';
import { Base64 } from '../../common/json-in-turns.js';
import { LONG } from '../../common/long-work.js';
import { ListTasksResponse, StreamResponse, Task } from '../../protocol/a2a.js';
import { encodeInTurns, type TaskEncoder } from './encode-in-turns.js';
import { eventAnswer, sendAnswer, taskMessage, taskOfArtifacts } from './v0-answers.js';

type Encode = TaskEncoder['encode'];

const task: Encode = (json) => A2AService.getTask.responseSerialize(Task.fromJSON(json));
const list: Encode = (json) =>
  A2AService.listTasks.responseSerialize(ListTasksResponse.fromJSON(json));
const event: Encode = (json) =>
  A2AService.subscribeToTask.responseSerialize(StreamResponse.fromJSON(json));

function encoderOf(encode: Encode): TaskEncoder {
  return { encode, encodeArtifacts: (artifacts) => task({ artifacts }) };
}

function legacyOf(filesTwice: boolean, encode: (json: never) => Buffer): TaskEncoder {
  const peer = { filesTwice, laterFields: false };
  return {
    encode: encode as Encode,
    encodeArtifacts: (artifacts) =>
      LegacyA2AService.getTask.responseSerialize(taskOfArtifacts(artifacts as never, peer)),
  };
}

const FILE = Buffer.alloc(3 * LONG, 'bytes of a file');
const TEXT = 'Äpfel 🍏 und Birnen, '.repeat(LONG / 16);
const HALVES = '\ud83c'.repeat(LONG);

function many<Item>(count: number, item: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => item(n));
}

function objectOf(count: number, entry: (n: number) => [string, unknown]): object {
  return Object.fromEntries(many(count, entry));
}

function taskWith(parts: readonly object[], metadata: object = {}): object {
  return {
    id: 'task',
    contextId: 'context',
    status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.123Z' },
    artifacts: [
      { artifactId: 'first', name: 'A', parts, extensions: ['https://example.com/extension'] },
      { artifactId: 'second', parts: [{ text: 'short' }] },
    ],
    metadata,
  };
}

const MIXED = (n: number): object => {
  switch (n % 5) {
    case 0:
      return { text: 'é'.repeat(n % 50) };
    case 1:
      return { text: 'x'.repeat(n % 70), metadata: { n } };
    case 2:
      return { data: many(n % 90, (each) => each) };
    case 3:
      return { data: { [`k${n}`]: 'z'.repeat(n % 3000), none: null, deep: [{}, [], ''] } };
    default:
      return { raw: Buffer.alloc(n % 2000, n).toString('base64'), filename: 'f' };
  }
};

const CASES: readonly [string, object][] = [
  ['a text', taskWith([{ text: TEXT }])],
  ['texts between short ones', taskWith([{ text: 'a' }, { text: TEXT }, { text: '' }])],
  ['a file as base64', taskWith([{ raw: FILE.toString('base64'), mediaType: 'a/b' }])],
  ['one in base64url', taskWith([{ raw: `${FILE.toString('base64url')}-_8` }])],
  ['one in lines', taskWith([{ raw: FILE.toString('base64').replace(/.{76}/g, '$&\n') }])],
  ['a file as bytes', taskWith([{ raw: FILE, filename: 'f' }, { text: TEXT }])],
  ['a file of which the base64 is made later', taskWith([{ raw: new Base64(FILE) }])],
  ['data', taskWith([{ data: { a: [1, TEXT, { ['n'.repeat(3000)]: TEXT, no: null }], b: true } }])],
  ['numbers', taskWith([{ data: [TEXT, 0, -0, 1.5, -1e300, 5e-324, 2 ** 53] }])],
  ['names of all kinds', taskWith([{ data: { '': 1, 7: 2, constructor: TEXT, ä: 3 } }])],
  ['very long names', taskWith([{ data: { [TEXT]: 1, [`${TEXT}2`]: { [TEXT]: [] } } }])],
  ['a list as data', taskWith([{ data: many(60_000, (n) => [n, { n }, `${n}ö`]) }])],
  ['an object of very many', taskWith([{ data: objectOf(60_000, (n) => [`${n}ü`, n]) }])],
  ['metadata', taskWith([], { deep: { deeper: [[[TEXT]], 'x'.repeat(1023), HALVES] } })],
  [
    'a list as metadata',
    taskWith(
      [{ text: 'a', metadata: many(90, (n) => n) }],
      many(60_000, (n) => `${n}`),
    ),
  ],
  ['data of many parts', taskWith(many(2000, (n) => ({ data: { n: 'x'.repeat(2100 + n) } })))],
  [
    'short data of many parts',
    taskWith(many(2000, (n) => ({ data: ['é'.repeat(n)], metadata: {} }))),
  ],
  ['very many parts', taskWith(many(5000, MIXED).concat({ text: TEXT }))],
  ['halves of characters', taskWith([{ text: HALVES }, { text: '\udf4f'.repeat(LONG) }])],
  [
    'very many artifacts',
    { artifacts: many(5000, (n) => ({ artifactId: `${n}`, parts: many(n % 9, MIXED) })) },
  ],
  [
    'many artifacts of many parts',
    {
      artifacts: many(2050, (n) => ({
        artifactId: `${n}`,
        parts: many(n === 7 ? 2050 : 1, MIXED),
      })),
    },
  ],
  [
    'messages',
    {
      history: [
        { role: 'ROLE_USER', messageId: 'ö', parts: many(9000, MIXED) },
        { parts: [{ text: TEXT }] },
      ],
    },
  ],
];

describe('encodeInTurns', () => {
  it.each(CASES)('writes %s as the SDK does', async (_, json) => {
    for (const [encode, answer] of [
      [task, json],
      [event, { task: json }],
      [list, { tasks: [json, { id: 'other' }], totalSize: -1, pageSize: 1 }],
    ] as const) {
      const message = encodeInTurns(answer, encoderOf(encode));
      expect(message).toBeInstanceOf(Promise);
      expect((await message).equals(encode(answer))).toBe(true);
    }
  });

  it.each([
    [
      'artifactUpdate',
      {
        taskId: 'x'.repeat(36),
        artifact: { artifactId: 'a', parts: many(5000, MIXED) },
        append: true,
      },
    ],
    [
      'statusUpdate',
      {
        taskId: 't',
        status: { state: 'TASK_STATE_WORKING', message: { parts: many(5000, MIXED) } },
      },
    ],
    ['message', { messageId: 'm', parts: many(5000, MIXED), metadata: { text: TEXT } }],
  ])('writes the event %s as the SDK does', async (name, json) => {
    const message = await encodeInTurns({ [name]: json }, encoderOf(event));
    expect(message.equals(event({ [name]: json }))).toBe(true);
  });

  it('leaves out a member of data that is named __proto__, as the SDK does', async () => {
    const data: unknown = JSON.parse(`{"__proto__":"p","b":"${TEXT}"}`);
    const json = taskWith([{ data }]);
    expect((await encodeInTurns(json, encoderOf(task))).equals(task(json))).toBe(true);
  });

  it.each(CASES)('encodes little at once of %s, and leaves it as it is', async (_, json) => {
    const before = structuredClone(json);
    const lengths: number[] = [];
    const noting =
      <From>(encode: (from: From) => Buffer) =>
      (from: From): Buffer => {
        const message = encode(from);
        lengths.push(message.length);
        return message;
      };
    const { encode, encodeArtifacts } = encoderOf(task);
    await encodeInTurns(json, { encode: noting(encode), encodeArtifacts: noting(encodeArtifacts) });
    expect(Math.max(...lengths)).toBeLessThan(LONG / 2);
    expect(json).toEqual(before);
  });

  it('lets other work run between pieces of each kind', async () => {
    for (const [name, least] of [
      ['a text', 8],
      ['a list as data', 3],
      ['very many parts', 12],
    ] as const) {
      const json = CASES.find(([each]) => each === name)![1];
      const turns = countTurns();
      await encodeInTurns(json, encoderOf(task));
      expect(turns()).toBeGreaterThan(least);
    }
  });

  it('encodes what is short at once, and what is not small in a slice of a turn', async () => {
    const small = taskWith([{ text: 'x'.repeat(5000) }]);
    expect(encodeInTurns(small, encoderOf(task))).toEqual(task(small));
    const middling = taskWith([{ data: many(5000, (n) => n) }]);
    const all = await Promise.all(many(50, async () => encodeInTurns(middling, encoderOf(task))));
    expect(all).toEqual(many(50, () => task(middling)));
  });

  it('rejects where a text is not the whole of a field', async () => {
    const json = taskWith([{ text: TEXT }]);
    const encode: Encode = (short) => {
      const [artifact] = (short as { artifacts: { parts: { text: string }[] }[] }).artifacts;
      artifact!.parts[0]!.text = `${'\u0012'.repeat(3)}${artifact!.parts[0]!.text}`;
      return task(short);
    };
    await expect(encodeInTurns(json, encoderOf(encode))).rejects.toThrow(/protobuf message/);
  });

  it.each([true, false])('writes what 0.3 has as the SDK does; files twice: %s', async (twice) => {
    const peer = { filesTwice: twice, laterFields: false };
    const file = { kind: 'file', file: { bytes: FILE.toString('base64'), mimeType: 'a/b' } };
    const parts = [file, { kind: 'text', text: TEXT }, { kind: 'data', data: { a: TEXT } }, file];
    const artifact = {
      artifactId: 'a',
      parts: many(3000, (n) => parts[n < 4 ? n : 1]).map(shorter),
    };
    const status = { state: 'completed' };
    const whole = { kind: 'task', id: 'task', contextId: 'c', status, artifacts: [artifact] };
    const update = { kind: 'artifact-update', taskId: 't', contextId: 'c', artifact };
    const reply = { kind: 'message', messageId: 'm', role: 'agent', parts: artifact.parts };
    const answers: [unknown, TaskEncoder][] = [
      [
        whole,
        legacyOf(twice, (json) =>
          LegacyA2AService.getTask.responseSerialize(taskMessage(json, peer)),
        ),
      ],
      [
        update,
        legacyOf(twice, (json) =>
          LegacyA2AService.taskSubscription.responseSerialize(eventAnswer(json, peer)),
        ),
      ],
      [
        reply,
        legacyOf(twice, (json) =>
          LegacyA2AService.sendMessage.responseSerialize(sendAnswer(json, peer)),
        ),
      ],
    ];
    for (const [json, encoder] of answers) {
      const message = await encodeInTurns(json, encoder);
      expect(message.equals(encoder.encode(json))).toBe(true);
    }
  });
});

/** All but the first of each kind. */
function shorter<Part>(part: Part, index: number): Part | object {
  return index < 4 ? part : { kind: 'text', text: `${'ß'.repeat(index % 40)}` };
}
