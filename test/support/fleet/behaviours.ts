import type { JsonObject } from '../json.js';
import type { LiveTask, LiveTaskOptions } from '../live-task.js';
import type { ScriptedAgent, ScriptedCall, ScriptedDialect } from '../scripted-agent.js';
import { HTTP_JSON, LEGACY_JSON_RPC } from './dialects.js';

/** How a delegation to an agent may end when nobody cancels it. */
export type Ending = 'completed' | 'failed' | 'rejected';

/** What an agent of the fleet does with messages, right or wrong. */
export interface Behaviour {
  readonly name: string;
  readonly ends: readonly Ending[];
  readonly dialect?: ScriptedDialect;
  /** What its card says; default true. */
  readonly streaming?: boolean;
  /** How its tasks go on. */
  readonly live?: LiveTaskOptions;
  /** Answers a message; default as an agent should. */
  readonly answer?: (agent: ScriptedAgent, call: ScriptedCall) => void;
  /** Other methods that it answers its own way. */
  readonly handlers?: (agent: ScriptedAgent) => Record<string, (call: ScriptedCall) => void>;
  /** It refuses connections. */
  readonly dead?: boolean;
  /** It asks its client something once, and goes on with the answer. */
  readonly asks?: boolean;
  /** It works until it is canceled. */
  readonly endless?: boolean;
}

/** While it is closed, no task of the fleet comes further than its first chunk. */
export interface Gate {
  open: boolean;
}

const CHUNK_EVERY_MS = 10;
const SLOW_CHUNK_EVERY_MS = 100;
const AUTHORIZED_AFTER_MS = 150;
/** The text of everything that comes when nothing may come any more. */
export const LATE_TEXT = 'too late';

/** The thirty agents of the fleet. */
export function behavioursOfThirty(gate: Gate): Behaviour[] {
  const upTo = (): number => (gate.open ? Infinity : 1);
  const paced = { everyMs: CHUNK_EVERY_MS, upTo };
  const steady: Behaviour = { name: 'steady', ends: ['completed'], live: paced };
  const slow: Behaviour = {
    name: 'slow',
    ends: ['completed'],
    live: { everyMs: SLOW_CHUNK_EVERY_MS, upTo },
  };
  const endless: Behaviour = {
    name: 'endless',
    ends: [],
    live: { everyMs: SLOW_CHUNK_EVERY_MS, upTo: () => 1 },
    endless: true,
  };
  const asks: Behaviour = {
    name: 'asks',
    ends: ['completed'],
    live: { ...paced, askAfter: 1 },
    asks: true,
  };
  const dead: Behaviour = { name: 'dead', ends: ['failed'], dead: true };
  const cut: Behaviour = { ...steady, name: 'cut', answer: cutAfterFirstChunk };
  return [
    ...times(5, steady),
    ...times(2, { ...steady, dialect: LEGACY_JSON_RPC }),
    { ...steady, dialect: HTTP_JSON },
    { ...steady, name: 'pretends', answer: refuseToStream },
    ...times(2, slow),
    ...times(2, endless),
    ...times(2, dead),
    flapping(steady),
    flapping({ ...steady, dialect: HTTP_JSON }),
    { name: 'not-json', ends: ['failed'], answer: (_, call) => call.send(200, '<p>Hello</p>') },
    { name: 'not-a2a', ends: ['failed'], answer: (_, call) => call.result({ hello: 'world' }) },
    cut,
    { ...cut, dialect: LEGACY_JSON_RPC },
    { ...steady, name: 'late', answer: sayMoreAfterTheEnd },
    { ...steady, name: 'twice', answer: endTwice },
    idReuser(steady),
    { name: 'rejects', ends: ['rejected'], answer: reject },
    { name: 'errors', ends: ['failed'], answer: (_, call) => call.error(-32603, 'out of order') },
    asks,
    { ...asks, dialect: LEGACY_JSON_RPC },
    { ...steady, name: 'auth', answer: askForAuthorization },
    { ...steady, name: 'polled', streaming: false },
  ];
}

function times<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

/** Streams a task and changes what its reader is shown. */
function follow(
  task: LiveTask,
  call: ScriptedCall,
  change: { event?: (payload: JsonObject) => void; end?: () => void } = {},
): void {
  task.follow({
    event: change.event ?? ((payload) => call.event(payload)),
    end: change.end ?? (() => call.end()),
    closed: call.closed,
  });
}

function isStream(call: ScriptedCall): boolean {
  return call.method === 'SendStreamingMessage';
}

function refuseToStream(agent: ScriptedAgent, call: ScriptedCall): void {
  if (isStream(call)) call.error(-32004, 'This agent cannot stream');
  else agent.serve(call);
}

function cutAfterFirstChunk(agent: ScriptedAgent, call: ScriptedCall): void {
  if (!isStream(call)) return agent.serve(call);
  follow(agent.begin(call), call, {
    event: (payload) => {
      call.event(payload);
      if ('artifactUpdate' in payload) setImmediate(() => call.cut());
    },
  });
}

function sayMoreAfterTheEnd(agent: ScriptedAgent, call: ScriptedCall): void {
  if (!isStream(call)) return agent.serve(call);
  const task = agent.begin(call);
  const ref = { taskId: task.id, contextId: task.contextId };
  const artifact = { artifactId: 'late', parts: [{ text: LATE_TEXT }] };
  follow(task, call, {
    end: () => {
      call.event({ artifactUpdate: { ...ref, artifact, append: false, lastChunk: true } });
      call.event({ statusUpdate: { ...ref, status: { state: 'TASK_STATE_WORKING' } } });
      call.end();
    },
  });
}

function endTwice(agent: ScriptedAgent, call: ScriptedCall): void {
  if (!isStream(call)) return agent.serve(call);
  const task = agent.begin(call);
  const ref = { taskId: task.id, contextId: task.contextId };
  follow(task, call, {
    end: () => {
      call.event({ statusUpdate: { ...ref, status: { state: 'TASK_STATE_FAILED' } } });
      call.end();
    },
  });
}

function reject(agent: ScriptedAgent, call: ScriptedCall): void {
  const task = agent.begin(call, { manual: true });
  task.setState('TASK_STATE_REJECTED', 'This is not my work.');
  if (isStream(call)) call.event({ task: task.snapshot() }).end();
  else call.result({ task: task.snapshot() });
}

/** Whoever it waits for lets it go on, and nobody tells the hub. */
function askForAuthorization(agent: ScriptedAgent, call: ScriptedCall): void {
  const task = agent.begin(call, { manual: true });
  task.chunk();
  task.setState('TASK_STATE_AUTH_REQUIRED', 'Sign in at https://login.example/.');
  setTimeout(() => {
    if (task.ended) return;
    task.setState('TASK_STATE_WORKING');
    task.chunk();
    task.chunk();
    task.end();
  }, AUTHORIZED_AFTER_MS);
  if (isStream(call)) follow(task, call);
  else call.result({ task: task.snapshot() });
}

/** Every other message finds it gone. */
function flapping(well: Behaviour): Behaviour {
  let messages = 0;
  return {
    ...well,
    name: 'flapping',
    ends: ['completed', 'failed'],
    answer: (agent, call) => {
      if (messages++ % 2 === 0) call.send(503, 'no healthy upstream', 'text/plain');
      else agent.serve(call);
    },
  };
}

/** Two tasks after one another get the same id. */
function idReuser(well: Behaviour): Behaviour {
  const tasks: LiveTask[] = [];
  const idOf = (task: LiveTask): string => `down-reused-${Math.floor(tasks.indexOf(task) / 2)}`;
  const shown = (task: LiveTask, payload: JsonObject): JsonObject =>
    JSON.parse(JSON.stringify(payload).replaceAll(task.id, idOf(task))) as JsonObject;
  const found = (call: ScriptedCall): LiveTask | undefined =>
    tasks.findLast((task) => idOf(task) === call.params['id']);
  const withTask = (call: ScriptedCall, use: (task: LiveTask) => void): void => {
    const task = found(call);
    if (task) use(task);
    else call.error(-32001, 'Task not found');
  };
  return {
    ...well,
    name: 'reuses-ids',
    // Whoever asks for one of two tasks may be shown the other, which may have been canceled.
    ends: ['completed', 'failed'],
    answer: (agent, call) => {
      const task = agent.begin(call);
      tasks.push(task);
      if (!isStream(call)) return call.result(shown(task, { task: task.snapshot() }));
      follow(task, call, { event: (payload) => call.event(shown(task, payload)) });
    },
    handlers: () => ({
      GetTask: (call) => withTask(call, (task) => call.result(shown(task, task.snapshot()))),
      CancelTask: (call) =>
        withTask(call, (task) => {
          for (const each of tasks) {
            if (idOf(each) === idOf(task) && !each.ended) each.end('TASK_STATE_CANCELED');
          }
          call.result(shown(task, task.snapshot()));
        }),
    }),
  };
}
