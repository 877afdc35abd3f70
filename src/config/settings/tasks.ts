import { choice, days, duration, flag, number, size } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { declaredList } from '../declared-list.js';
import { SECOND, MINUTE, HOUR, DAY, KIB, MIB } from '../units.js';

const LIMITS =
  'a list of limits (in a file only), each with id, its subject (organization, principal, agent, skill) and ' +
  'one or more of openTasks, tasksPerDay, tasksPerMonth, storedBytes, requestsPerSecond, budget; see docs/quotas.md';

const PRICES =
  'a list of prices (in a file only), each with unit, agent or skill (neither: of all agents) and one or both of ' +
  'perTask and usage, a mapping from keys that agents report to what one of it costs; see docs/quotas.md';

/** Tasks, their streams and what they may use. */
const TASKS_PER_DAY = number({
  min: 0,
  max: 1_000_000_000,
  default: 0,
  description: 'Tasks created in one day (UTC); 0 for no limit.',
});

const openTasks = (byDefault: number) =>
  number({
    min: 0,
    max: 10_000_000,
    default: byDefault,
    description: 'Tasks that have not ended; 0 for no limit.',
  });

export const TASKS_SETTINGS = {
  tasks: new Section('Tasks and their streams.', {
    blockingWaitMs: duration({
      default: 5 * MINUTE,
      description:
        'How long a blocking send waits for the task to end; after that the working task is returned.',
    }),
    firstEventWaitMs: duration({
      max: MINUTE,
      default: SECOND,
      description:
        "How long a stream's first answer waits for the agent's first event, which decides between a message and a task.",
    }),
    leaseMs: duration({
      min: SECOND,
      max: HOUR,
      default: 30 * SECOND,
      description:
        'How long the lease of a process on a delegation lasts without renewal; after that another process takes the delegation over.',
    }),
    maxConcurrent: number({
      min: 0,
      max: 100_000,
      default: 0,
      description:
        'The most delegations one process runs concurrently; the others wait in the queue. Each takes a connection to its client and one to its agent. 0: as many as memory, heap and open files allow, 10000 at most.',
    }),
    maxPerAgent: number({
      min: 0,
      max: 100_000,
      default: 0,
      description:
        'The most of these for one agent, so that a slow agent leaves capacity for others; 0 for three quarters of maxConcurrent. An agent can override it.',
    }),
    maxSizeBytes: size({
      min: MIB,
      max: 256 * MIB,
      default: 64 * MIB,
      description:
        'The largest size of a task, all its content as JSON, counted in characters (one that is not ASCII takes two to four bytes on its way). A task that would become larger fails, and so does one whose log, replaced content included, would take more than 8 times as much.',
    }),
    maxDurationMs: duration({
      min: SECOND,
      max: 366 * DAY,
      default: 24 * HOUR,
      description:
        'How long a task may be open in total, the time it waits for its client included; what is still open then is canceled.',
    }),
    stuckQueuedMs: duration({
      min: SECOND,
      max: 366 * DAY,
      default: 5 * MINUTE,
      description:
        'After how long a task that no agent has begun counts as stuck, in lists (`stuck=true`), the overview, health checks, metrics and alerts; nothing happens to it.',
    }),
    stuckSilentMs: duration({
      min: SECOND,
      max: 366 * DAY,
      default: HOUR,
      description:
        'After how long without an event of its agents a working task counts as stuck, in lists (`stuck=true`), the overview, health checks, metrics and alerts; nothing happens to it.',
    }),
    maxCalls: number({
      min: 1,
      max: 100_000,
      default: 100,
      description:
        'The most messages the hub sends to agents for one task: steps, failovers, further messages and resends. A client may ask for less; a composite skill may set its own limit.',
    }),
    maxHops: number({
      min: 1,
      max: 64,
      default: 8,
      description:
        'The most hubs a message may pass, this one included; a message that has passed more is taken for a loop and rejected.',
    }),
    acceptClientTaskIds: flag({
      default: false,
      description:
        'An unknown task id in a message creates the task under that id, as A2A 0.2.5 did, instead of TaskNotFound.',
    }),
    blockingDefault: choice(['auto', 'always', 'never'], {
      default: 'auto',
      description:
        'Whether a 0.x send that leaves `blocking` out waits for its task, as most clients expect. auto: it waits unless acceptClientTaskIds is set, whose clients know the id and poll the task. A send that does not wait is answered once an agent has accepted the message, or after firstEventWait.',
    }),
    heartbeatMs: duration({
      max: HOUR,
      default: 15 * SECOND,
      description: 'After how long without an event a stream gets a comment line; 0s for none.',
    }),
    streamBufferBytes: size({
      min: 64 * KIB,
      max: 1024 * MIB,
      default: 4 * MIB,
      description:
        'A stream reader with more small events unread than this, in bytes, is disconnected; it can resume. Events of more than 1 MiB, and the task that a stream begins with, count as large answers instead (docs/limits.md).',
    }),
    contextTtlDays: days({
      min: 1,
      max: 3650,
      default: 30,
      description:
        'How long after its newest task a context prefers the agents of that task; it ends with the task itself.',
    }),
    retentionDays: days({
      min: 0,
      max: 3650,
      default: 30,
      description:
        'How long a task is kept after its end, with its log, webhooks and deliveries; 0d keeps all tasks. A task with pending webhook deliveries is kept until they are delivered or dead letters.',
    }),
    attachReferences: flag({
      default: false,
      description:
        'Whether the artifacts of a task that a message refers to (referenceTaskIds) are attached to it, for an agent that does not have that task. Together 1 MiB at most.',
    }),
    historyLimit: number({
      min: 1,
      max: 100_000,
      default: 1000,
      description: "The most messages of a task's history in one answer.",
    }),
    resend: choice(['fail', 'again'], {
      default: 'fail',
      description:
        'What happens to a message that may or may not have reached its agent, after a crash or when the connection broke before the answer: the task fails with that reason, or the message is sent again under the same message id, to the same agent and three times at most.',
    }),
  }),

  limits: new Section('Limits of organizations, principals, agents and skills; docs/quotas.md.', {
    declared: declaredList(LIMITS, {
      default: [],
      description:
        'Limits beside those created through the API; a change of the file takes effect while the hub runs.',
    }),
    prices: declaredList(PRICES, {
      default: [],
      description:
        'What the work of agents costs, for the budgets of limits; a change of the file takes effect while the hub runs.',
    }),
  }),

  quotas: new Section(
    'How much one organization, and one principal of it, may use; a task beyond a quota is refused (QUOTA_EXCEEDED). See docs/quotas.md.',
    {
      organization: new Section('All principals of one organization together.', {
        openTasks: openTasks(50_000),
        tasksPerDay: TASKS_PER_DAY,
        storedBytes: size({
          name: 'storedBytes',
          min: 0,
          max: 1024 * 1024 * MIB,
          default: 40 * 1024 * MIB,
          description:
            'Bytes stored for its tasks: messages, answers, log and checkpoints; 0B for no limit.',
        }),
        diskShare: number({
          min: 0,
          max: 100,
          default: 25,
          description:
            'SQLite only. Percentage of the disk space that the database uses or can use, as a further limit to storedBytes; 0 for none.',
        }),
      }),
      principal: new Section('One principal, whatever number of keys it has.', {
        openTasks: openTasks(20_000),
        tasksPerDay: TASKS_PER_DAY,
        storedBytes: size({
          name: 'storedBytes',
          min: 0,
          max: 1024 * 1024 * MIB,
          default: 10 * 1024 * MIB,
          description: 'Bytes stored for its tasks; 0B for no limit.',
        }),
      }),
    },
  ),
} as const;
