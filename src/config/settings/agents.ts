import { declaredList } from '../declared-list.js';
import { choice, duration, number, size } from '../setting-kinds.js';
import { Section } from '../setting.js';
import { trustedKeys } from '../trusted-keys.js';
import { SECOND, MINUTE, HOUR, DAY, MIB } from '../units.js';

/** Their headers may be secrets, so all of it is masked. */
const AGENTS =
  'a list of agents (in a file only), each with id and either cardUrl or card, and optionally ' +
  'cardHeaders, cardKeys, endpoint, protocolBinding, protocolVersion, headers, authentication, tags, priority, weight, maxConcurrent, maxQueue, enabled, organizations, budgets {connect, firstEvent, idle, total, cancelWait}, switches {streaming, blocking, pollInterval, files, caller}';

/** Calls to agents. */
export const AGENTS_SETTINGS = {
  agents: new Section('Calls to agents; the budgets are defaults that an agent can override.', {
    connectMs: duration({
      min: 1,
      max: 10 * MINUTE,
      default: 5 * SECOND,
      description: 'Budget for connecting to an agent.',
    }),
    firstEventMs: duration({
      min: 1,
      default: 60 * SECOND,
      description: "Budget from sending a message to the agent's first event or answer.",
    }),
    idleMs: duration({
      min: 1,
      default: 10 * MINUTE,
      description: 'Budget between two events of a running task.',
    }),
    totalMs: duration({
      min: 1,
      default: 24 * HOUR,
      description: 'Budget from the first send to the end of a task.',
    }),
    cancelWaitMs: duration({
      min: 1,
      max: HOUR,
      default: 10 * SECOND,
      description: "How long a cancel waits for the agents' answers.",
    }),
    interfaceRetryMs: duration({
      min: 0,
      max: HOUR,
      default: 30 * SECOND,
      description:
        'How long an agent interface that could not be connected to is skipped in favour of the next one in its card.',
    }),
    pollMinMs: duration({
      min: 10,
      max: HOUR,
      default: 500,
      description: 'The initial polling interval for tasks of an agent that cannot stream.',
    }),
    pollMaxMs: duration({
      min: 10,
      max: HOUR,
      default: 15 * SECOND,
      description: 'The longest polling interval.',
    }),
    maxQueue: number({
      min: 1,
      max: 1_000_000,
      default: 10_000,
      description:
        'Delegations that may be queued for one agent; a message that only agents with a full queue could take is refused, unless its organization and its principal have less than their fair share of that queue. An agent can override it.',
    }),
    readBudgetBytes: size({
      min: MIB,
      max: 4096 * MIB,
      default: 64 * MIB,
      description:
        "The most bytes of agents' answers that one process holds before they are stored, over all agents; one agent gets at most half. Answers up to 64 KiB do not count; an answer larger than the budget is read alone. Further answers wait.",
    }),
    health: new Section('Health checks of agents, made by each process on its own.', {
      probeIntervalMs: duration({
        max: DAY,
        default: 30 * SECOND,
        description:
          'How long an agent may be without a call before its card is requested as a health check, give or take a fifth; 0s for no health checks.',
      }),
      probeTimeoutMs: duration({
        min: 1,
        max: 10 * MINUTE,
        default: 5 * SECOND,
        description: 'How long one health check may take.',
      }),
      failuresToDown: number({
        min: 2,
        max: 100,
        default: 3,
        description:
          'Consecutive failures after which an agent is down and its circuit breaker opens: it gets no work for a while. A single failure makes it degraded.',
      }),
      successesToHealthy: number({
        min: 1,
        max: 100,
        default: 2,
        description: 'Consecutive successes after which an agent that has failed is healthy again.',
      }),
      failureRate: number({
        min: 0.01,
        max: 1,
        decimals: true,
        default: 0.5,
        description:
          'The failure rate, over the last 10 to 20 calls within a minute, at which the breaker opens as well.',
      }),
      openMinMs: duration({
        min: 1,
        max: DAY,
        default: 5 * SECOND,
        description:
          'How long the breaker stays open the first time, up to a fifth less; each further time twice as long, until a call succeeds.',
      }),
      openMaxMs: duration({
        min: 1,
        max: DAY,
        default: 5 * MINUTE,
        description: 'The longest time the breaker stays open.',
      }),
    }),
    callbacks: choice(['auto', 'off'], {
      default: 'auto',
      description:
        'Whether an agent that cannot stream but can push gets a callback address of the hub to call when its task has changed. auto: when publicUrl is set; such an agent is then polled rarely. off: it is only polled.',
    }),
    cardSignatures: choice(['off', 'if-present', 'require'], {
      default: 'if-present',
      description:
        'Whether signatures of agent cards are verified. require accepts only cards with a signature by a trusted key; if-present refuses cards whose signature does not match, and shows others as unsigned or unverified; off verifies nothing.',
    }),
    trustedKeys: trustedKeys({
      default: [],
      description:
        'The public keys that sign the cards of an origin. For other origins the hub uses the key set that a signature names (jku), if it is on the origin of the card itself.',
    }),
    declared: declaredList(AGENTS, {
      default: [],
      secret: true,
      mask: (agents) => agents.map(({ id }) => String(id)).join(', '),
      description: 'Agents registered at start, beside those registered through the API.',
    }),
  }),
} as const;
