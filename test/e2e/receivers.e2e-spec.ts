import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';
import { hasPython, SampleReceiver } from '../support/sample-receiver.js';
import { type ReceivedWebhook, WebhookSink } from '../support/webhook-sink.js';

const PUSH = '/api/v1/push';
const TASKS = 3;

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const [hmacOfNode, hmacOfPython] = [newSecret(), newSecret()];
const pair = generateKeyPairSync('ed25519');
const seed = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);

let hub: Hub;
/** What the hub calls. It keeps each request and hands it on to the sample its path names. */
let relay: WebhookSink;
let agent: RunningAgent;
let taskIds: string[];
const samples = new Map<string, SampleReceiver>();
const subscriptions = new Map<string, string>();

interface Scheme {
  readonly name: string;
  readonly file: string;
  readonly options: () => string[];
  /** What the hub is asked for. */
  readonly requested: JsonObject;
  /** The header whose change has to be noticed where no signature tells of the body. */
  readonly secretHeader?: string;
}

const IN_NODE: readonly Scheme[] = [
  {
    name: 'HMAC',
    file: 'receiver.mjs',
    options: () => ['--secret', newSecret(), '--secret', hmacOfNode],
    requested: { authentication: { scheme: 'HMAC', credentials: hmacOfNode } },
  },
  {
    name: 'ed25519',
    file: 'receiver.mjs',
    options: () => ['--public-key', `whpk_${publicKey.toString('base64')}`],
    requested: { signingKeys: [`whsk_${seed.toString('base64')}`] },
  },
  {
    name: 'JWT',
    file: 'receiver.mjs',
    options: () => [
      ...['--jwks', `${hub.url}/.well-known/jwks.json`],
      ...['--issuer', hub.url, '--audience', new URL(relay.url()).origin],
      ...['--organization', 'tests'],
    ],
    requested: { authentication: { scheme: 'JWT' } },
  },
  {
    name: 'a token',
    file: 'receiver.mjs',
    options: () => ['--token', 'token-of-the-node-sample'],
    requested: { token: 'token-of-the-node-sample' },
    secretHeader: 'a2a-notification-token',
  },
];

const IN_PYTHON: readonly Scheme[] = [
  {
    name: 'HMAC, in version 0.3',
    file: 'receiver.py',
    options: () => ['--secret', newSecret(), '--secret', hmacOfPython],
    requested: { version: '0.3', authentication: { scheme: 'HMAC', credentials: hmacOfPython } },
  },
  {
    name: 'a bearer token',
    file: 'receiver.py',
    options: () => ['--bearer', 'bearer-of-the-python-sample'],
    requested: { authentication: { scheme: 'Bearer', credentials: 'bearer-of-the-python-sample' } },
    secretHeader: 'authorization',
  },
  {
    name: 'a token',
    file: 'receiver.py',
    options: () => ['--token', 'token-of-the-python-sample'],
    requested: { token: 'token-of-the-python-sample' },
    secretHeader: 'a2a-notification-token',
  },
];

const withPython = hasPython();
const schemes = withPython ? [...IN_NODE, ...IN_PYTHON] : IN_NODE;
const title = withPython
  ? 'the sample receivers in Node and Python'
  : 'the sample receiver in Node (that in Python is left out: there is no python3)';

const pathOf = ({ file, name }: Scheme): string => `/${file}/${encodeURIComponent(name)}`;
const sampleOf = (scheme: Scheme): SampleReceiver => samples.get(pathOf(scheme))!;

/** Starts a sample, and has it told of all tasks from now on. */
async function begin(scheme: Scheme): Promise<void> {
  const path = pathOf(scheme);
  samples.set(path, await SampleReceiver.start(scheme.file, scheme.options()));
  const body = { url: relay.url(path), ...scheme.requested };
  const answer = await hub.admin('POST', `${PUSH}/subscriptions`, body, await hub.key());
  if (answer.status !== 201) throw new Error(answer.text);
  subscriptions.set(path, answer.body.id as string);
}

beforeAll(async () => {
  [hub, relay, agent] = await Promise.all([
    startHub(),
    WebhookSink.start(),
    startSdkAgent({
      name: 'worker',
      execute: (turn) => void turn.task().working().artifact('answer', turn.text).complete(),
    }),
  ]);
  relay.answer = (webhook, response) => {
    const answered = samples.get(webhook.path)!.post(webhook);
    void answered.catch(() => 502).then((status) => response.writeHead(status).end());
  };
  await hub.registerAgent(agent.url, { id: 'worker' });
  await Promise.all(schemes.map(begin));
  const message = { metadata: { agentId: 'worker' } };
  const sent = Array.from({ length: TASKS }, (_, i) => hub.send(`text ${i}`, { message }));
  taskIds = (await Promise.all(sent)).map(({ task }) => String((task as JsonObject)['id']));
});
afterAll(async () => {
  await hub?.close();
  await Promise.all([agent, relay].map((one) => one.close()));
  await Promise.all([...samples.values()].map((sample) => sample.stop()));
});

/** The webhook of one task that a subscription has made; its id. */
async function configOf(scheme: Scheme, taskId: string): Promise<string> {
  const query = `taskId=${taskId}&subscriptionId=${subscriptions.get(pathOf(scheme))}`;
  const answer = await hub.admin('GET', `${PUSH}/configs?${query}`, undefined, await hub.key());
  return answer.body.items[0].id as string;
}

async function act(configId: string, action: string, body?: object): Promise<number> {
  const path = `${PUSH}/configs/${configId}:${action}`;
  return (await hub.admin('POST', path, body, await hub.key())).status;
}

/** The request that told this sample last that a task is completed. */
async function lastRequest(scheme: Scheme): Promise<ReceivedWebhook> {
  await sampleOf(scheme).waitFor(TASKS, isEnd);
  return relay.at(pathOf(scheme)).at(-1)!;
}

const isEnd = ({ state }: { state?: string | null }): boolean => /completed/i.test(state ?? '');

function altered(text: string): string {
  const at = Math.floor(text.length / 2);
  return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1);
}

describe(title, () => {
  describe.each(schemes)('$file with $name', (scheme) => {
    it('gets each event of every task once, verified and in order', async () => {
      const sample = sampleOf(scheme);
      await sample.waitFor(TASKS, isEnd);
      const whats =
        scheme.requested['version'] === '0.3'
          ? ['task', 'task', 'task', 'task']
          : ['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate'];
      for (const taskId of taskIds) {
        const told = sample.lines.filter((line) => line.taskId === taskId);
        expect(told.map(({ what }) => what)).toEqual(whats);
        expect(told.map(({ deliveryNumber }) => deliveryNumber)).toEqual([1, 2, 3, 4]);
        const sequences = told.map(({ sequence }) => sequence);
        expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
        for (const line of told) {
          expect(line).toMatchObject({ kind: 'new', isMissing: false, attempt: 1 });
        }
      }
      expect(sample.lines).toHaveLength(TASKS * whats.length);
      expect(sample.errors).toBe('');
    });

    it('refuses what is forged with 401, and knows what it has had', async () => {
      const sample = sampleOf(scheme);
      const genuine = await lastRequest(scheme);
      const before = sample.lines.length;
      const { secretHeader } = scheme;
      const forged =
        secretHeader === undefined
          ? { raw: Buffer.from(altered(genuine.raw.toString('latin1')), 'latin1') }
          : { headers: { [secretHeader]: altered(String(genuine.headers[secretHeader])) } };
      expect(await sample.post(genuine, forged)).toBe(401);
      const old = {
        'webhook-timestamp': String(Number(genuine.headers['webhook-timestamp']) - 301),
      };
      expect(await sample.post(genuine, { headers: old })).toBe(401);
      expect(await sample.post(genuine)).toBe(204);
      await sample.waitFor(1, ({ kind }) => kind === 'duplicate');
      expect(sample.lines).toHaveLength(before + 1);
    });

    it('knows a replay and a test for what they are', async () => {
      const sample = sampleOf(scheme);
      await sample.waitFor(TASKS, isEnd);
      const configId = await configOf(scheme, taskIds[0]!);
      expect(await act(configId, 'replay', { sequence: 1 })).toBe(202);
      const again = await sample.waitFor(4, ({ kind, deliveryNumber }) => {
        return kind === 'duplicate' && deliveryNumber > 4;
      });
      expect(again.map(({ deliveryNumber }) => deliveryNumber)).toEqual([5, 6, 7, 8]);
      expect(await act(configId, 'test')).toBe(200);
      const [test] = await sample.waitFor(1, ({ kind }) => kind === 'test');
      expect(test).toMatchObject({ taskId: taskIds[0], deliveryNumber: 0, isMissing: false });
      expect(sample.lines.filter(({ kind }) => kind === 'new')).toHaveLength(4 * TASKS);
    });
  });
});
