import { ROUTING_EXTENSION_URI } from '../../../src/protocol/routing-extension.js';
import type { JsonObject } from '../json.js';
import type { Fleet } from './fleet.js';
import type { FleetAgent } from './fleet-agent.js';
import { Random } from './random.js';

/** One message of the simulation and what its client will do. */
export interface Job {
  readonly number: number;
  readonly strategy: 'one' | 'all' | 'first' | 'chain' | 'synthesize' | 'composite';
  /** What is asked of the routing. */
  readonly directive: JsonObject;
  readonly reads: 'stream' | 'poll' | 'wait';
  /** Questions are answered. */
  readonly answers: boolean;
  /** The client cancels when it has seen the first artifact. */
  readonly cancels: boolean;
  readonly webhook: boolean;
}

/** The text of a job's message: agents' ledgers are read by it. */
export function markOf({ number }: Pick<Job, 'number'>): string {
  return `job ${number};`;
}

/** The plans that the simulation's operator has named. */
export const COMPOSITES: readonly JsonObject[] = [
  {
    id: 'review',
    name: 'Draft and review',
    description: 'Drafts, has two reviewers look at it, and writes the result.',
    steps: [
      { name: 'draft', tags: ['steady', 'slow', 'flapping'], match: 'any' },
      {
        name: 'look',
        tags: ['cut', 'twice', 'late', 'errors'],
        match: 'any',
        strategy: 'all',
        require: 'quorum',
        quorum: 2,
        maxAgents: 4,
      },
      { name: 'write', agentId: 'steady-2', inputs: ['look', 'draft', 'message'] },
    ],
  },
  {
    id: 'race-or-ask',
    name: 'Race, or ask',
    description: 'The fastest of several; when none can, somebody who asks.',
    steps: [
      {
        name: 'race',
        tags: ['rejects', 'errors', 'endless'],
        match: 'any',
        strategy: 'first',
        deadlineSeconds: 1,
        optional: true,
      },
      {
        name: 'ask',
        agentId: 'asks-1',
        inputs: ['message'],
        after: [{ step: 'race', outcome: 'failed' }],
      },
    ],
  },
  {
    id: 'two-opinions',
    name: 'Two opinions',
    description: 'Whoever answers of a shaky fleet, then one more.',
    steps: [
      {
        name: 'ask-all',
        tags: ['flapping', 'dead', 'not-json', 'polled'],
        match: 'any',
        strategy: 'all',
        require: 'best-effort',
      },
      { name: 'more', agentId: 'auth-1', inputs: ['ask-all', 'message'], optional: true },
    ],
  },
];

/** So many jobs of every strategy; the same for the same seed. */
export function jobsOf(fleet: Fleet, count: number, seed: number): Job[] {
  const random = new Random(seed);
  const ordinary = fleet.agents.filter(({ behaviour }) => !behaviour.endless);
  return Array.from({ length: count }, (_, number) => {
    const strategy = strategyOf(random.next());
    const job = {
      number,
      strategy,
      directive: directiveOf(strategy, { random, fleet, ordinary }),
      reads: random.pick(['stream', 'stream', 'stream', 'poll', 'wait'] as const),
      answers: !random.percent(15),
      cancels: random.percent(6),
      webhook: number % 4 === 0,
    };
    return number % 50 === 7 ? { ...job, ...UNANSWERED } : job;
  });
}

/** Every fleet has some of these, however few jobs it gets. */
const UNANSWERED = {
  strategy: 'one',
  directive: { agentId: 'asks-1' },
  answers: false,
  cancels: false,
} as const;

function strategyOf(share: number): Job['strategy'] {
  if (share < 0.3) return 'one';
  if (share < 0.55) return 'all';
  if (share < 0.7) return 'first';
  if (share < 0.8) return 'chain';
  return share < 0.9 ? 'synthesize' : 'composite';
}

interface Choices {
  readonly random: Random;
  readonly fleet: Fleet;
  /** All agents whose tasks end by themselves. */
  readonly ordinary: readonly FleetAgent[];
}

function directiveOf(strategy: Job['strategy'], choices: Choices): JsonObject {
  const { random, fleet, ordinary } = choices;
  switch (strategy) {
    case 'one':
      return one(choices);
    case 'all':
      return all(choices);
    case 'first': {
      const sure = random.some(fleet.named('steady', 'cut', 'polled'), random.between(0, 2));
      const others = random.some(ordinary, random.between(1, 2));
      if (sure.length === 0) return { ...tagsOf(others), strategy };
      // Somebody who never ends loses against somebody who surely does, if no kill comes between.
      const loser = random.pick(fleet.named('endless'));
      return { ...tagsOf([...sure, ...others, loser]), strategy, deadlineSeconds: 20 };
    }
    case 'chain':
      return {
        strategy,
        steps: random
          .some(ordinary, random.between(2, 3))
          .map(({ id, behaviour }) =>
            random.percent(30) ? { tags: [behaviour.name] } : { agentId: id },
          ),
      };
    case 'synthesize':
      return {
        ...tagsOf(random.some(ordinary, random.between(2, 3))),
        strategy,
        require: random.pick(['all', 'any', 'best-effort']),
        synthesizer: { agentId: random.pick(ordinary).id },
      };
    case 'composite':
      return { skillId: `composite.${random.pick(COMPOSITES)['id']}` };
  }
}

function one({ random, fleet, ordinary }: Choices): JsonObject {
  if (random.percent(5)) {
    return { agentId: random.pick(fleet.named('endless')).id, deadlineSeconds: 1 };
  }
  if (random.percent(50)) return { agentId: random.pick(ordinary).id };
  return { ...tagsOf(random.some(ordinary, 3)), strategy: 'one' };
}

function all({ random, fleet, ordinary }: Choices): JsonObject {
  const require = random.pick(['all', 'any', 'quorum', 'best-effort'] as const);
  const chosen = random.some(ordinary, random.between(2, 4));
  const strategy = 'all';
  if (require === 'quorum') {
    return { ...tagsOf(chosen), strategy, require, quorum: random.between(1, 2) };
  }
  if (require !== 'best-effort' || random.percent(70))
    return { ...tagsOf(chosen), strategy, require };
  const late = random.pick(fleet.named('endless'));
  return { ...tagsOf([...chosen, late]), strategy, require, deadlineSeconds: 1 };
}

/** Exactly these agents: each carries its id as a tag. */
function tagsOf(agents: readonly FleetAgent[]): JsonObject {
  return { tags: [...new Set(agents.map(({ id }) => id))], match: 'any' };
}

/** The metadata of a job's message. */
export function metadataOf({ directive }: Job): JsonObject {
  return { [ROUTING_EXTENSION_URI]: directive };
}
