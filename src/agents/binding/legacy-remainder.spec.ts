import { describe, expect, it } from '@jest/globals';
import { StreamResponse, Task } from '../../protocol/a2a.js';
import { LegacyRemainder } from './legacy-remainder.js';

const UPDATE = { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [] } };

/** What the SDK makes of an event: no append. */
async function* translated(...events: object[]): AsyncGenerator<StreamResponse> {
  for (const event of events) yield StreamResponse.fromJSON(event);
}

async function appendsOf(noted: unknown[], events: object[]): Promise<unknown[]> {
  const remainder = new LegacyRemainder();
  for (const event of noted) remainder.note(event);
  const seen: unknown[] = [];
  for await (const { payload } of remainder.events(translated(...events))) {
    seen.push(payload?.$case === 'artifactUpdate' ? payload.value.append : payload?.$case);
  }
  return seen;
}

describe('append of a 0.3 event', () => {
  const events = [{ statusUpdate: {} }, { artifactUpdate: UPDATE }, { artifactUpdate: UPDATE }];

  it.each<[string, unknown[]]>([
    [
      'ProtoJSON',
      [{ statusUpdate: {} }, { artifactUpdate: {} }, { artifactUpdate: { append: true } }],
    ],
    [
      'ProtoJSON in snake_case',
      [{ status_update: {} }, { artifact_update: {} }, { artifact_update: { append: true } }],
    ],
    [
      'a decoded message',
      [
        { payload: { $case: 'statusUpdate', value: {} } },
        { payload: { $case: 'artifactUpdate', value: { append: false } } },
        { payload: { $case: 'artifactUpdate', value: { append: true } } },
      ],
    ],
  ])('is what the agent said in %s', async (_form, noted) => {
    expect(await appendsOf(noted, events)).toEqual(['statusUpdate', false, true]);
  });

  it('is false where the agent said nothing that can be read', async () => {
    expect(await appendsOf([null, 'x', { payload: 1 }], events)).toEqual([
      'statusUpdate',
      false,
      false,
    ]);
  });
});

describe('extensions of a 0.3 artifact', () => {
  const written = { artifactId: 'a', extensions: ['urn:signed'] };
  const artifact = { artifactId: 'a', parts: [] };

  it.each<[string, object]>([
    ['ProtoJSON', { task: { artifacts: [written] } }],
    ['ProtoJSON of the task alone', { artifacts: [written] }],
    ['snake_case', { artifacts: [{ artifact_id: 'a', extensions: ['urn:signed'] }] }],
    ['a decoded message', { payload: { $case: 'task', value: { artifacts: [written] } } }],
  ])('are those the agent wrote in %s', async (_form, noted) => {
    const remainder = new LegacyRemainder();
    remainder.note(noted);
    const task = Task.fromJSON({
      id: 't',
      artifacts: [artifact, { ...artifact, artifactId: 'b' }],
    });
    expect(remainder.restored(task).artifacts.map(({ extensions }) => extensions)).toEqual([
      ['urn:signed'],
      [],
    ]);
    remainder.note(noted);
    for await (const { payload } of remainder.events(translated({ task: Task.toJSON(task) }))) {
      expect(payload).toMatchObject({ value: { artifacts: [{ extensions: ['urn:signed'] }, {}] } });
    }
  });

  it('are those of an update', async () => {
    const remainder = new LegacyRemainder();
    remainder.note({ artifactUpdate: { artifact: written } });
    const events = [];
    for await (const event of remainder.events(translated({ artifactUpdate: UPDATE }))) {
      events.push(event);
    }
    expect(events).toMatchObject([
      { payload: { value: { artifact: { extensions: ['urn:signed'] } } } },
    ]);
  });

  it('are none where the agent wrote something else', () => {
    const remainder = new LegacyRemainder();
    remainder.note({ artifacts: [{ artifactId: 'a', extensions: 'urn:signed' }, null, 5] });
    const task = Task.fromJSON({ id: 't', artifacts: [artifact] });
    expect(remainder.restored(task).artifacts[0]!.extensions).toEqual([]);
  });
});

describe('the file name and metadata of parts in ProtoJSON of 0.3', () => {
  const written = [
    { file: { fileWithUri: 'https://x/y', mimeType: 'text/csv', name: 'report.csv' } },
    { text: 'x', metadata: { k: ['v'] } },
  ];
  const parts = [{ url: 'https://x/y', mediaType: 'text/csv' }, { text: 'x' }];
  const restored = [{ filename: 'report.csv' }, { metadata: { k: ['v'] } }];
  const said = { messageId: 'm', role: 'ROLE_AGENT', parts };

  it.each<[string, object]>([
    ['camelCase', { messageId: 'm', content: written }],
    ['snake_case', { message_id: 'm', content: written }],
  ])('are those the agent wrote in a message in %s', async (_form, message) => {
    const artifact = { artifactId: 'a', parts };
    const noted: [object, object][] = [
      [{ message }, { message: said }],
      [{ statusUpdate: { status: { message } } }, { statusUpdate: { status: { message: said } } }],
      [{ task: { history: [message] } }, { task: { id: 't', history: [said] } }],
      [
        { artifact_update: { artifact: { artifact_id: 'a', parts: written } } },
        { artifactUpdate: { taskId: 't', contextId: 'c', artifact } },
      ],
    ];
    const remainder = new LegacyRemainder();
    for (const [event] of noted) remainder.note(event);
    const seen: unknown[] = [];
    for await (const { payload } of remainder.events(translated(...noted.map(([, one]) => one)))) {
      seen.push(payload?.value);
    }
    expect(seen).toMatchObject([
      { parts: restored },
      { status: { message: { parts: restored } } },
      { history: [{ parts: restored }] },
      { artifact: { parts: restored } },
    ]);
  });

  it('are those of an answer that is no stream', () => {
    const remainder = new LegacyRemainder();
    remainder.note({ artifacts: [{ artifactId: 'a', parts: written }] });
    const task = Task.fromJSON({ id: 't', artifacts: [{ artifactId: 'a', parts }] });
    expect(remainder.restored(task).artifacts).toMatchObject([{ parts: restored }]);
  });

  it.each([
    ['no list', 'x'],
    ['fewer parts', [written[0]]],
    ['of the wrong types', [{ file: { name: 5 } }, { metadata: ['k'] }]],
  ])('are none where the agent wrote something else: %s', (_what, wrong) => {
    const remainder = new LegacyRemainder();
    remainder.note({ artifacts: [{ artifactId: 'a', parts: wrong }] });
    const task = Task.fromJSON({ id: 't', artifacts: [{ artifactId: 'a', parts }] });
    expect(remainder.restored(task).artifacts[0]!.parts).toMatchObject([
      { filename: '', metadata: undefined },
      { filename: '', metadata: undefined },
    ]);
  });
});
