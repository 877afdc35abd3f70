// What is tried with each agent through the hub. A case answers in a word or two, or throws.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { message, stateOf, textOf } from './hub.mjs';

/** The probe first: an agent may die of its cancel. */
export const CASES = { probe, send, stream, 'second turn': secondTurn, question, cancel, file };

/** What a probe says of most agents; of some, other things are true (`shows`). */
const SHOWN = { outcome: 'answered', error: null, answer: 'completed', streams: 'yes' };
const KNOWN = { answersGetTask: 'yes', listsTasks: 'yes', cancels: 'yes' };
/** A probe of a small agent takes no longer. */
const QUICK_MS = 10_000;

/** Neither is what the other would be with one encoding more or less. */
const FILES = [Buffer.from([0, 1, 254, 255, 10]), Buffer.from('aGVsbG8gd29ybGQh')];

/** What `agents:check` reports is what is known of the agent, of work that ends and of work that does not. */
async function probe(hub, { cardUrl, shows, diesOfCancel, cancelWaits }) {
  const { endpoint } = await hub.admin('POST', '/api/v1/agents:check', { cardUrl });
  const listsTasks = endpoint.protocolVersion === '1.0' ? 'yes' : 'not-tested';
  const expected = { ...SHOWN, ...KNOWN, listsTasks, recommendations: [], ...shows };
  const found = await probed(hub, cardUrl, 'hello', 20_000);
  areAsExpected(found, expected);
  const { firstAnswerMs, endMs } = found;
  if (!(firstAnswerMs <= endMs && endMs < QUICK_MS)) throw new Error(`${firstAnswerMs}, ${endMs}`);
  if (!diesOfCancel) {
    const { listsTasks: lists, answersGetTask } = expected;
    const cancels = cancelWaits ? 'unclear' : expected.cancels;
    const late = { outcome: 'late', endMs: null, listsTasks: lists, answersGetTask, cancels };
    areAsExpected(await probed(hub, cardUrl, 'slow', 2500), late);
  }
  const does = { streams: 'streams', ...DOES };
  return Object.entries(does)
    .map(([name, word]) => (found[name] === 'yes' ? word : `${word}: ${found[name]}`))
    .join(', ');
}

const DOES = { answersGetTask: 'GetTask', listsTasks: 'ListTasks', cancels: 'cancel' };

async function probed(hub, cardUrl, probeText, probeTimeoutMs) {
  const body = { cardUrl, probe: true, probeText, probeTimeoutMs };
  return (await hub.admin('POST', '/api/v1/agents:check', body)).probe;
}

function areAsExpected(found, expected) {
  for (const [name, value] of Object.entries(expected)) {
    const [is, wanted] = [found[name], value].map((one) => JSON.stringify(one));
    if (is !== wanted) throw new Error(`${name} is ${is} and not ${wanted}`);
  }
}

async function send(hub, { id }) {
  const { task } = await hub.rpc('SendMessage', message(id, 'hello there'));
  saysIn(task, 'COMPLETED', 'hello there');
  return 'ok';
}

async function stream(hub, { id }) {
  const events = await hub.stream(message(id, 'tell me more'));
  const [{ task }] = events;
  const last = events.at(-1);
  const state = last.statusUpdate ?? last.task;
  const now = await hub.rpc('GetTask', { id: task.id });
  saysIn(now, 'COMPLETED', 'tell me more');
  if (!state || stateOf(state) !== 'COMPLETED') throw new Error(`ended ${JSON.stringify(last)}`);
  return `${events.length} events`;
}

/** A further message of the context; `remembered` when the agent knows of the first. */
async function secondTurn(hub, { id }) {
  const { task: first } = await hub.rpc('SendMessage', message(id, 'one'));
  const inContext = { contextId: first.contextId };
  const { task: second } = await hub.rpc('SendMessage', message(id, 'two', inContext));
  saysIn(second, 'COMPLETED', 'two');
  if (second.contextId !== first.contextId) throw new Error('another context');
  return textOf(second).includes('turn 2') ? 'remembered' : 'ok';
}

/** A task that asks, and its answer. */
async function question(hub, { id, asks, asksInVain, answer }) {
  if (asks === undefined) return '-';
  const { task: asked } = await hub.rpc('SendMessage', message(id, asks));
  if (asksInVain) {
    saysIn(asked, asksInVain, '');
    return `none: ${asksInVain}`;
  }
  saysIn(asked, 'INPUT_REQUIRED', '');
  const parts = answer ? answer(asked) : [{ text: 'blue' }];
  const { task } = await hub.rpc('SendMessage', message(id, '', { taskId: asked.id, parts }));
  saysIn(task, 'COMPLETED', 'blue');
  if (task.id !== asked.id) throw new Error('another task');
  return 'ok';
}

/** The cancel of running work, and a message after it. */
async function cancel(hub, agent) {
  const configuration = { returnImmediately: true };
  const { task } = await hub.rpc('SendMessage', { ...message(agent.id, 'slow'), configuration });
  await sleep(1500);
  const canceled = await hub.rpc('CancelTask', { id: task.id });
  if (stateOf(canceled) !== 'CANCELED')
    throw new Error(`${stateOf(canceled)}: ${textOf(canceled)}`);
  const words = canceled.status.message ? `: ${textOf({ status: canceled.status })}` : '';
  const after = await send(hub, agent).catch((error) => `then FAILED ${error.message}`);
  if (after === 'ok') return `ok${words}`;
  if (agent.diesOfCancel) return `ok${words}; after it the agent takes nothing more`;
  throw new Error(after);
}

/** Files that a client sends arrive true, and come back true: to clients of 1.0 and of 0.3, with a stream and without. */
async function file(hub, { id, takesFiles }) {
  if (!takesFiles) return '-';
  for (const bytes of FILES) {
    const sent = message(id, 'a file');
    sent.message.parts.push({ raw: bytes.toString('base64'), filename: 'sent' });
    const { task } = await hub.rpc('SendMessage', sent);
    const [{ task: streamed }] = await hub.stream({
      ...sent,
      message: { ...sent.message, messageId: randomUUID() },
    });
    for (const one of [task, await hub.rpc('GetTask', { id: streamed.id })]) {
      saysIn(one, 'COMPLETED', `came: ${bytes.toString('hex')}`);
      const raw = one.artifacts.flatMap(({ parts }) => parts).find((part) => 'raw' in part)?.raw;
      areReversed(raw, bytes, '1.0');
    }
    const { artifacts } = await hub.rpc('tasks/get', { id: task.id }, '0.3');
    const { file: old } = artifacts
      .flatMap(({ parts }) => parts)
      .find(({ kind }) => kind === 'file');
    areReversed(old.bytes, bytes, '0.3');
  }
  await oldSend(hub, id);
  return 'true';
}

/** The same from a client of 0.3. */
async function oldSend(hub, agentId) {
  const [bytes] = FILES;
  const file = { bytes: bytes.toString('base64'), name: 'sent' };
  const parts = [
    { kind: 'text', text: 'a file' },
    { kind: 'file', file },
  ];
  const said = { kind: 'message', messageId: randomUUID(), role: 'user', parts };
  const params = { message: said, metadata: { agentId }, configuration: { blocking: true } };
  const { artifacts } = await hub.rpc('message/send', params, '0.3');
  const answered = artifacts.flatMap(({ parts: made }) => made);
  const text = answered.find(({ kind }) => kind === 'text').text;
  if (text !== `came: ${bytes.toString('hex')}`) throw new Error(`0.3: ${text}`);
  areReversed(answered.find(({ kind }) => kind === 'file').file.bytes, bytes, 'send of 0.3');
}

function areReversed(base64, bytes, where) {
  const wanted = Buffer.from(bytes).reverse().toString('base64');
  if (base64 !== wanted) throw new Error(`${where}: the file is ${base64} and not ${wanted}`);
}

function saysIn(task, state, text) {
  if (!task) throw new Error('no task');
  if (stateOf(task) !== state) throw new Error(`${stateOf(task)}: ${textOf(task)}`);
  if (!textOf(task).includes(text)) throw new Error(`says ${textOf(task)}`);
}
