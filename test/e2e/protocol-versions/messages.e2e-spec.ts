import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../support/json.js';
import {
  artifactOf,
  type Dialect,
  DIALECTS,
  partsOf,
  statusMessageOf,
  textPart,
} from './dialects.js';
import { Sides } from './sides.js';

/** One row of docs/protocol-versions.md about something that is part of a message. */
interface Row {
  /** How each dialect writes it; absent where it cannot. */
  readonly written: Readonly<Partial<Record<Dialect, Json>>>;
  /** What arrives, where it is not what the dialect of arrival writes: `from>to`. */
  readonly arrives?: Readonly<Record<string, Json>>;
}

const HI = Buffer.from('hi');

/** Rows about a part. */
const PARTS: Readonly<Record<string, Row>> = {
  'part.text': {
    written: {
      '1.0': { text: 'hello' },
      '0.3': { kind: 'text', text: 'hello' },
      proto: proto('text', 'hello'),
    },
  },
  'part.text-media-type': {
    written: {
      '1.0': { text: '# hello', mediaType: 'text/markdown', filename: 'readme.md' },
      '0.3': { kind: 'text', text: '# hello' },
      proto: proto('text', '# hello'),
    },
    arrives: {
      '0.3>1.0': { text: '# hello' },
      'proto>1.0': { text: '# hello' },
    },
  },
  'part.bytes': {
    written: {
      '1.0': { raw: HI.toString('base64') },
      '0.3': { kind: 'file', file: { bytes: HI.toString('base64') } },
      proto: proto('file', { file: { $case: 'fileWithBytes', value: HI }, mimeType: '' }),
    },
  },
  'part.uri': {
    written: {
      '1.0': { url: 'https://example.com/a.pdf' },
      '0.3': { kind: 'file', file: { uri: 'https://example.com/a.pdf' } },
      proto: proto('file', {
        file: { $case: 'fileWithUri', value: 'https://example.com/a.pdf' },
        mimeType: '',
      }),
    },
  },
  'part.file-name': {
    written: {
      '1.0': { url: 'https://example.com/a.pdf', filename: 'a.pdf' },
      '0.3': { kind: 'file', file: { uri: 'https://example.com/a.pdf', name: 'a.pdf' } },
      proto: proto('file', {
        file: { $case: 'fileWithUri', value: 'https://example.com/a.pdf' },
        mimeType: '',
      }),
    },
    arrives: {
      'proto>1.0': { url: 'https://example.com/a.pdf' },
      'proto>0.3': { kind: 'file', file: { uri: 'https://example.com/a.pdf' } },
    },
  },
  'part.file-type': {
    written: {
      '1.0': { raw: HI.toString('base64'), mediaType: 'text/csv' },
      '0.3': { kind: 'file', file: { bytes: HI.toString('base64'), mimeType: 'text/csv' } },
      proto: proto('file', { file: { $case: 'fileWithBytes', value: HI }, mimeType: 'text/csv' }),
    },
  },
  'part.data-object': {
    written: {
      '1.0': { data: { a: [1, null, { b: 'c' }], empty: {} } },
      '0.3': { kind: 'data', data: { a: [1, null, { b: 'c' }], empty: {} } },
      proto: proto('data', { data: { a: [1, null, { b: 'c' }], empty: {} } }),
    },
  },
  'part.data-value': {
    written: {
      '1.0': { data: [1, 'two', false] },
      '0.3': {
        kind: 'data',
        data: { value: [1, 'two', false] },
        metadata: { data_part_compat: true },
      },
      proto: proto('data', { data: { value: [1, 'two', false] } }),
    },
    arrives: {
      'proto>1.0': { data: { value: [1, 'two', false] } },
      'proto>0.3': { kind: 'data', data: { value: [1, 'two', false] } },
    },
  },
  'part.data-null': {
    written: {
      '1.0': { data: null },
      '0.3': { kind: 'data', data: { value: null }, metadata: { data_part_compat: true } },
      proto: proto('data', { data: { value: null } }),
    },
    arrives: {
      'proto>1.0': { data: { value: null } },
      'proto>0.3': { kind: 'data', data: { value: null } },
    },
  },
  'part.metadata': {
    written: {
      '1.0': { text: 'x', metadata: { 'urn:a': { b: [1] } } },
      '0.3': { kind: 'text', text: 'x', metadata: { 'urn:a': { b: [1] } } },
      proto: proto('text', 'x'),
    },
    arrives: {
      'proto>1.0': { text: 'x' },
      'proto>0.3': { kind: 'text', text: 'x' },
    },
  },
};

/** Rows about a member of a message beside its parts. */
const MEMBERS: Readonly<Record<string, Row>> = {
  'message.metadata': {
    written: {
      '1.0': { metadata: { 'urn:m': { deep: [1, { a: null }] }, text: 'é\n' } },
      '0.3': { metadata: { 'urn:m': { deep: [1, { a: null }] }, text: 'é\n' } },
      proto: { metadata: { 'urn:m': { deep: [1, { a: null }] }, text: 'é\n' } },
    },
  },
  'message.kind': {
    written: {
      '1.0': {},
      '0.3': { kind: 'message' },
      proto: {},
    },
  },
  'message.extensions': {
    written: {
      '1.0': { extensions: ['urn:one', 'https://example.com/two'] },
      '0.3': { extensions: ['urn:one', 'https://example.com/two'] },
      proto: { extensions: ['urn:one', 'https://example.com/two'] },
    },
  },
};

const ROLES = {
  '1.0': { user: 'ROLE_USER', agent: 'ROLE_AGENT' },
  '0.3': { user: 'user', agent: 'agent' },
  proto: { user: 1, agent: 2 },
} as const;

let sides: Sides;

beforeAll(async () => {
  sides = await Sides.start({ streaming: false });
});

afterAll(() => sides.close());

describe.each(DIALECTS)('a client of %s', (client) => {
  describe.each(DIALECTS)('with an agent of %s', (agent) => {
    it.each(Object.entries(PARTS))('%s', async (_name, row) => {
      const { received } = sides.agents[agent];
      sides.agents[agent].answer = {
        artifacts: [artifactOf(agent, [row.written[agent]])],
        statusMessage: { parts: [row.written[agent]] },
      };
      const task = await sides.send(client, agent, { parts: [row.written[client]] });
      expect(partsOf(agent, received.at(-1)!.message)).toEqual([arriving(row, client, agent)]);
      const back = arriving(row, agent, client);
      expect((task['artifacts'] as JsonObject[])[0]!['parts']).toEqual([back]);
      expect(partsOf(client, statusMessageOf(client, task))).toEqual([back]);
    });

    it('message.references', async () => {
      const own = sides.agents[agent];
      own.answer = {};
      const hello = { parts: [textPart(client, 't')] };
      const { id } = await sides.send(client, agent, hello);
      if (client === 'proto') return;
      const others = { referenceTaskIds: [String(id)] };
      await sides.send(client, agent, { ...hello, others });
      const known = own.received.at(-1)!.message['referenceTaskIds'];
      if (agent === 'proto') expect(known).toBeUndefined();
      else expect(known).toEqual([own.lastTaskId(-2)]);
    });

    it('message.role, message.ids', async () => {
      sides.agents[agent].answer = { statusMessage: { parts: [textPart(agent, 'no')] } };
      const task = await sides.send(client, agent, { parts: [textPart(client, 't')] });
      const { message } = sides.agents[agent].received.at(-1)!;
      expect(message['role']).toBe(ROLES[agent].user);
      expect(message['taskId'] ?? '').toBe('');
      expect(statusMessageOf(client, task)['role']).toBe(ROLES[client].agent);
      expect(task).toMatchObject({ id: expect.any(String), contextId: expect.any(String) });
    });

    it.each(Object.entries(MEMBERS))('%s', async (_name, row) => {
      const { received } = sides.agents[agent];
      const others = row.written[agent] as JsonObject;
      sides.agents[agent].answer = { statusMessage: { parts: [textPart(agent, 't')], others } };
      const task = await sides.send(client, agent, {
        parts: [textPart(client, 't')],
        others: row.written[client] as JsonObject,
      });
      expect(received.at(-1)!.message).toMatchObject(arriving(row, client, agent));
      expect(statusMessageOf(client, task)).toMatchObject(arriving(row, agent, client));
    });
  });
});

function arriving(row: Row, from: Dialect, to: Dialect): Json {
  return row.arrives?.[`${from}>${to}`] ?? row.written[to];
}

function proto($case: string, value: Json): Json {
  return { part: { $case, value } };
}
