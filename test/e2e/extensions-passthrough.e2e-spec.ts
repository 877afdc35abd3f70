import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { without } from '../../src/agents/card/card-fields.js';
import { SendMessageRequest, SendMessageResponse } from '../../src/protocol/a2a.js';
import { type Hub, startHub } from '../support/app.js';
import { GrpcClient, V1 } from '../support/grpc-client.js';
import type { JsonObject } from '../support/json.js';
import { nastyData, nastyObject, nastyStruct, textOf } from '../support/nasty.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';

const OURS = 'urn:a2a-hub:routing:v1';
const URIS = ['https://x.example/ext/v1', 'urn:x:unknown'];
/** What a hub says of itself, which must not come from anybody else. */
const FORGED = { [OURS]: { agentId: 'forged', hops: [] } };
/** Long, and with every kind of byte. */
const BYTES = Buffer.from(Array.from({ length: 513 }, (_, index) => index % 256));

/** Every kind of part of 1.0, with all its members. */
const PARTS: JsonObject[] = [
  { text: ' \u0000 text 🦆', metadata: nastyObject(), filename: 'a.txt', mediaType: 'text/x; a=b' },
  { text: '' },
  { raw: BYTES.toString('base64'), filename: 'ü.bin', mediaType: 'x/unknown' },
  { raw: '', metadata: {} },
  {
    url: 'https://x.example/ü?a=1#b',
    filename: 'f',
    mediaType: 'image/png',
    metadata: nastyObject(),
  },
  ...nastyData().map((data, index) => ({ data, metadata: { index } })),
  { data: { a: 1 }, mediaType: 'application/json', filename: 'data.json' },
];

/** The same as 0.3 can say it: no names on texts and data, objects for data. */
const LEGACY_PARTS: JsonObject[] = [
  { kind: 'text', text: ' \u0000 text 🦆', metadata: nastyObject() },
  { kind: 'text', text: '' },
  { kind: 'file', file: { bytes: BYTES.toString('base64'), name: 'ü.bin', mimeType: 'x/unknown' } },
  {
    kind: 'file',
    file: { uri: 'https://x.example/ü', mimeType: 'image/png' },
    metadata: nastyObject(),
  },
  { kind: 'data', data: nastyObject(), metadata: nastyObject() },
  { kind: 'data', data: {} },
];

/** Those parts in 1.0. */
const LEGACY_PARTS_AS_MODERN: JsonObject[] = [
  { text: ' \u0000 text 🦆', metadata: nastyObject() },
  { text: '' },
  { raw: BYTES.toString('base64'), filename: 'ü.bin', mediaType: 'x/unknown' },
  { url: 'https://x.example/ü', mediaType: 'image/png', metadata: nastyObject() },
  { data: nastyObject(), metadata: nastyObject() },
  { data: {} },
];

describe('what passes through the hub', () => {
  let hub: Hub;
  let modern: ScriptedAgent;
  let legacy: ScriptedAgent;

  beforeAll(async () => {
    hub = await startHub({ config: { grpc: { port: -1 } } });
    modern = await ScriptedAgent.start({ handlers: { '*': answerModern } });
    await hub.registerAgent(modern.url, { id: 'modern' });
    legacy = await ScriptedAgent.start({ handlers: { '*': answerLegacy } });
    const card = {
      name: 'Legacy',
      description: '',
      url: `${legacy.url}/rpc`,
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      version: '1',
      capabilities: { streaming: true },
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [],
    };
    const answer = await hub.admin('POST', '/api/v1/agents', { id: 'legacy', card });
    expect(answer.status).toBe(201);
  });

  afterAll(async () => {
    await hub.close();
    await modern.close();
    await legacy.close();
  });

  let count = 0;
  const modernRequest = (agentId: string, parts = PARTS, more: JsonObject = {}): JsonObject => ({
    tenant: agentId,
    message: {
      messageId: `m-${++count}`,
      role: 'ROLE_USER',
      parts,
      metadata: { ...nastyObject(), ...FORGED, agentId },
      extensions: URIS,
    },
    metadata: nastyObject(),
    ...more,
  });

  const legacyRequest = (agentId: string): JsonObject => ({
    message: {
      kind: 'message',
      messageId: `m-${++count}`,
      role: 'user',
      parts: LEGACY_PARTS,
      metadata: { ...nastyObject(), agentId },
      extensions: URIS,
    },
    metadata: nastyObject(),
  });

  /** The metadata without the hub's own key, which has to be there only with `hops`. */
  function foreign(metadata: unknown): JsonObject {
    return without(metadata as JsonObject, OURS);
  }

  function expectSame(actual: unknown, expected: unknown): void {
    expect(textOf(actual)).toBe(textOf(expected));
  }

  describe('to the agent', () => {
    it('is all that a 1.0 client sends to a 1.0 agent', async () => {
      const request = modernRequest('modern');
      await hub.rpc('SendMessage', request);
      const { message, metadata } = modern.calls.at(-1)!.params as Record<string, JsonObject>;
      const sent = request['message'] as JsonObject;
      expectSame(message!['parts'], PARTS);
      expectSame(message!['metadata'], { ...nastyObject(), agentId: 'modern' });
      expectSame(message!['extensions'], URIS);
      expect([message!['messageId'], message!['role']]).toEqual([sent['messageId'], 'ROLE_USER']);
      expectSame(foreign(metadata), nastyObject());
      expect(Object.keys(metadata![OURS] as object)).toEqual(['hops']);
    });

    it('is all that a 1.0 client can say to a 0.3 agent', async () => {
      await hub.rpc('SendMessage', modernRequest('legacy', LEGACY_PARTS_AS_MODERN));
      const { message, metadata } = legacy.calls.at(-1)!.params as Record<string, JsonObject>;
      expectSame(message!['parts'], LEGACY_PARTS);
      expectSame(message!['metadata'], { ...nastyObject(), agentId: 'legacy' });
      expectSame(message!['extensions'], URIS);
      expectSame(foreign(metadata), nastyObject());
    });

    it.each(['modern', 'legacy'])('is all that a 0.3 client sends to a %s one', async (id) => {
      await hub.rpc('message/send', legacyRequest(id), { version: null });
      const agent = id === 'modern' ? modern : legacy;
      const { message, metadata } = agent.calls.at(-1)!.params as Record<string, JsonObject>;
      const parts = id === 'modern' ? LEGACY_PARTS_AS_MODERN : LEGACY_PARTS;
      expectSame(message!['parts'], parts);
      expectSame(message!['metadata'], { ...nastyObject(), agentId: id });
      expectSame(message!['extensions'], URIS);
      expectSame(foreign(metadata), nastyObject());
    });

    it('is data of any type to a 0.3 agent and from it, wrapped where 0.3 has objects only', async () => {
      const data = nastyData().map((value) => ({ data: value }));
      const result = (await hub.rpc('SendMessage', modernRequest('legacy', data))) as JsonObject;
      const { message } = legacy.calls.at(-1)!.params as { message: JsonObject };
      const sent = message['parts'] as { data: unknown; metadata?: JsonObject }[];
      for (const [index, value] of nastyData().entries()) {
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        expectSame(sent[index]!.data, isObject ? value : { value });
        expect(sent[index]!.metadata?.['data_part_compat']).toBe(isObject ? undefined : true);
      }
      const echoed = artifactsOf(result).find(({ artifactId }) => artifactId === 'echo')!;
      expectSame(echoed['parts'], data);
    });
  });

  describe('back to the client', () => {
    it.each(['modern', 'legacy'])('is all that a %s agent sends, to a 1.0 client', async (id) => {
      const { task } = (await hub.rpc('SendMessage', modernRequest(id, [{ text: 'x' }]))) as {
        task: JsonObject;
      };
      const parts = id === 'modern' ? PARTS : LEGACY_PARTS_AS_MODERN;
      expectTask(task, parts);
      expectTask(await hub.getTask(task['id'] as string), parts);
      const list = (await hub.rpc('ListTasks', { includeArtifacts: true, pageSize: 1 })) as {
        tasks: JsonObject[];
      };
      expectTask(list.tasks[0]!, parts);
    });

    it.each(['modern', 'legacy'])('is all that 0.3 can say of a %s one', async (id) => {
      const request = legacyRequest(id);
      const task = (await hub.rpc('message/send', request, { version: null })) as JsonObject;
      const status = task['status'] as JsonObject;
      const said = status['message'] as JsonObject;
      expectSame((said['parts'] as JsonObject[])[0], LEGACY_PARTS[0]);
      expectSame(said['metadata'], nastyObject());
      expectSame(said['extensions'], URIS);
      const artifact = (task['artifacts'] as JsonObject[]).find(
        ({ artifactId }) => artifactId === 'made',
      )!;
      expectSame(foreign(artifact['metadata']), nastyObject());
      expectSame(artifact['extensions'], URIS);
      const files = (artifact['parts'] as JsonObject[]).filter(({ kind }) => kind === 'file');
      expect(files.length).toBeGreaterThanOrEqual(2);
      if (id === 'legacy') expectSame(artifact['parts'], LEGACY_PARTS);
      const metadata = foreign(task['metadata']);
      for (const [key, value] of Object.entries(nastyObject())) {
        expectSame(Object.getOwnPropertyDescriptor(metadata, key)?.value, value);
      }
    });

    it.each(['modern', 'legacy'])('is every event of a stream of a %s one', async (id) => {
      const stream = await hub.stream('SendStreamingMessage', modernRequest(id, [{ text: 'x' }]));
      const events = (await stream.collect()).map(({ data }) => data);
      const updates = events as Record<string, JsonObject>[];
      const artifact = updates.find((each) => {
        const made = each['artifactUpdate']?.['artifact'] as JsonObject | undefined;
        return made?.['artifactId'] === 'made';
      })!['artifactUpdate']!;
      const parts = id === 'modern' ? PARTS : LEGACY_PARTS_AS_MODERN;
      expectSame((artifact['artifact'] as JsonObject)['parts'], parts);
      expectSame(artifact['metadata'], { event: nastyObject() });
      const last = updates.at(-1)!['statusUpdate']!;
      expectSame(last['metadata'], nastyObject());
      const begun = updates.find((each) => each['statusUpdate'] !== undefined)!['statusUpdate']!;
      expectSame(begun['metadata'], { task: nastyObject() });
      expect(JSON.stringify(events)).not.toContain('forged');
    });

    it('is a plain message with all its members', async () => {
      const reply = modernRequest('modern', [{ text: 'reply' }]);
      const { message } = (await hub.rpc('SendMessage', reply)) as { message: JsonObject };
      expectSame(message['parts'], PARTS);
      expectSame(message['metadata'], nastyObject());
      expectSame(message['extensions'], URIS);
    });
  });

  describe('over HTTP+JSON', () => {
    it('is the same in 1.0', async () => {
      const request = without(modernRequest('modern'), 'tenant');
      const path = '/a2a/modern/message:send';
      const answer = await hub.post(path, JSON.stringify(request), {
        headers: { 'a2a-extensions': `${OURS}, urn:x:unknown` },
      });
      expect([answer.status, answer.headers['a2a-extensions']]).toEqual([200, OURS]);
      const { message, metadata } = modern.calls.at(-1)!.params as Record<string, JsonObject>;
      expectSame(message!['parts'], PARTS);
      expectSame(message!['metadata'], { ...nastyObject(), agentId: 'modern' });
      expectSame(message!['extensions'], URIS);
      expectSame(foreign(metadata), nastyObject());
      expect(modern.calls.at(-1)!.headers['a2a-extensions']).toBe(
        ['urn:x:unknown', URIS[0]].join(),
      );
      expectTask(answer.body.task as JsonObject, PARTS);
      const read = await hub.get(`/a2a/tasks/${answer.body.task.id as string}`);
      expectTask(read.body as JsonObject, PARTS);
    });

    it('is the same in 0.3, as far as its ProtoJSON can say it', async () => {
      const content = [
        { text: 'x' },
        { file: { fileWithBytes: BYTES.toString('base64'), name: 'ü.bin', mimeType: 'x/unknown' } },
        { data: { data: nastyObject() } },
      ];
      const message = {
        messageId: `m-${++count}`,
        role: 'ROLE_USER',
        content,
        metadata: { ...nastyObject(), agentId: 'modern' },
        extensions: URIS,
      };
      const body = JSON.stringify({ message, metadata: nastyObject() });
      const answer = await hub.post('/a2a/v1/message:send', body, { version: null });
      expect(answer.status).toBe(200);
      const sent = modern.calls.at(-1)!.params as Record<string, JsonObject>;
      expectSame(sent['message']!['parts'], [
        { text: 'x' },
        { raw: BYTES.toString('base64'), filename: 'ü.bin', mediaType: 'x/unknown' },
        { data: nastyObject() },
      ]);
      expectSame(sent['message']!['metadata'], { ...nastyObject(), agentId: 'modern' });
      expectSame(sent['message']!['extensions'], URIS);
      expectSame(foreign(sent['metadata']), nastyObject());
      const { status, artifacts, metadata } = answer.body.task as Record<string, JsonObject>;
      const update = (status!['message'] ?? status!['update']) as JsonObject;
      expectSame(update['metadata'], nastyObject());
      expectSame(update['extensions'], URIS);
      const made = (artifacts as unknown as JsonObject[]).find(
        (one) => one['artifactId'] === 'made',
      )!;
      expectSame(foreign(made['metadata']), nastyObject());
      expectSame(foreign(metadata), { ...nastyObject(), task: nastyObject() });
    });
  });

  it('is the same over gRPC, as far as protobuf can hold it', async () => {
    const client = await GrpcClient.of(hub);
    const parts = [
      { text: 'x', metadata: nastyStruct(), filename: 'a.txt', mediaType: 'text/x' },
      { raw: BYTES.toString('base64'), filename: 'ü.bin', mediaType: 'x/unknown' },
      { url: 'https://x.example/ü' },
      ...nastyData(nastyStruct).map((data) => ({ data })),
    ];
    const request = modernRequest('modern', parts, { metadata: nastyStruct() });
    const message = { ...(request['message'] as JsonObject), metadata: nastyStruct() };
    const requested = { 'a2a-extensions': `${OURS}, urn:x:unknown` };
    const { answer, headers } = await client.exchange(
      V1.sendMessage.path,
      V1.sendMessage.requestSerialize(SendMessageRequest.fromJSON({ ...request, message })),
      requested,
    );
    expect(headers.get('a2a-extensions')).toEqual([OURS]);
    const sent = modern.calls.at(-1)!.params as Record<string, JsonObject>;
    expectSame(sent['message']!['parts'], parts);
    expectSame(sent['message']!['metadata'], nastyStruct());
    expectSame(sent['message']!['extensions'], URIS);
    expectSame(foreign(sent['metadata']), nastyStruct());
    const { task } = SendMessageResponse.toJSON(V1.sendMessage.responseDeserialize(answer)) as {
      task: JsonObject;
    };
    const echo = artifactsOf({ task }).find(({ artifactId }) => artifactId === 'echo')!;
    expectSame(echo['parts'], parts);
    const made = artifactsOf({ task }).find(({ artifactId }) => artifactId === 'made')!;
    const rest = without(foreign(made['metadata']), '__proto__');
    expectSame({ ...rest, text: nastyStruct()['text'] }, nastyStruct());
    client.close();
  });

  function expectTask(task: JsonObject, parts: JsonObject[]): void {
    const said = (task['status'] as JsonObject)['message'] as JsonObject;
    expectSame(said['parts'], parts);
    expectSame(said['metadata'], nastyObject());
    expectSame(said['extensions'], URIS);
    const artifact = artifactsOf({ task }).find(({ artifactId }) => artifactId === 'made')!;
    expectSame(artifact['parts'], parts);
    expectSame(foreign(artifact['metadata']), nastyObject());
    expectSame([artifact['name'], artifact['description']], ['ü', 'a text']);
    expectSame(artifact['extensions'], URIS);
    expectSame(foreign(task['metadata']), { ...nastyObject(), task: nastyObject() });
    expect(JSON.stringify({ ...task, history: [] })).not.toContain('forged');
  }

  const artifactsOf = ({ task }: JsonObject) =>
    (task as { artifacts: JsonObject[] }).artifacts ?? [];

  it('leaves nobody with a changed prototype', () => {
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });
});

/** The events of an agent that says everything it can, in the words of a version. */
function answer(call: ScriptedCall, version: 'modern' | 'legacy', parts: JsonObject[]): void {
  const isModern = version === 'modern';
  const ids = { taskId: `d-${call.message['messageId'] as string}`, contextId: 'd-context' };
  const message = {
    ...(isModern ? { role: 'ROLE_AGENT' } : { kind: 'message', role: 'agent' }),
    messageId: `said-${ids.taskId}`,
    ...ids,
    parts,
    metadata: { ...nastyObject(), ...FORGED },
    extensions: URIS,
  };
  const completed = isModern ? 'TASK_STATE_COMPLETED' : 'completed';
  const working = isModern ? 'TASK_STATE_WORKING' : 'working';
  const made = {
    artifactId: 'made',
    name: 'ü',
    description: 'a text',
    parts,
    metadata: { ...nastyObject(), ...FORGED },
    extensions: URIS,
  };
  const echo = { artifactId: 'echo', parts: call.message['parts'] };
  const task = {
    id: ids.taskId,
    contextId: ids.contextId,
    status: { state: working },
    metadata: { task: nastyObject(), ...FORGED },
  };
  const update = { append: false, lastChunk: true, ...ids };
  const events: [string, JsonObject][] = [
    ['task', task],
    [
      'artifactUpdate',
      { ...update, artifact: made, metadata: { event: nastyObject(), ...FORGED } },
    ],
    ['artifactUpdate', { ...update, artifact: echo }],
    [
      'statusUpdate',
      { ...ids, status: { state: completed, message }, metadata: { ...nastyObject(), ...FORGED } },
    ],
  ];
  const kinds: Record<string, string> = {
    task: 'task',
    artifactUpdate: 'artifact-update',
    statusUpdate: 'status-update',
  };
  for (const [name, event] of events) {
    call.event(isModern ? { [name]: event } : { kind: kinds[name], final: false, ...event });
  }
  call.end();
}

function answerModern(call: ScriptedCall): void {
  if (call.text !== 'reply') return answer(call, 'modern', PARTS);
  const message = {
    role: 'ROLE_AGENT',
    messageId: 'reply-1',
    parts: PARTS,
    metadata: { ...nastyObject(), ...FORGED },
    extensions: URIS,
  };
  call.event({ message }).end();
}

function answerLegacy(call: ScriptedCall): void {
  answer(call, 'legacy', LEGACY_PARTS);
}
