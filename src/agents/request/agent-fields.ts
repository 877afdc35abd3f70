import { SECRET_REFERENCE } from '../../common/http/field-kinds.js';
import { NAME } from '../../common/http/text-forms.js';
import type { AgentBudgets } from '../agent.js';
import { FILE_FORMS } from '../binding/file-forms.js';

export const MAX_PRIORITY = 1_000_000;
export const MAX_WEIGHT = 1000;
const MAX_CONCURRENT = 100_000;
const MAX_QUEUE = 1_000_000;
/** How the card of an agent is read, and how an agent is called. */
export const CARD_SCHEMES = ['http', 'https'];
export const CALL_SCHEMES = [...CARD_SCHEMES, 'grpc', 'grpcs'];
export const MAX_URL = 2048;
/** The positions and limits of an agent's switches. */
export const SWITCHES = {
  streaming: ['off'],
  blocking: ['on'],
  /** An hour: as long as `agents.pollMax` may be. */
  pollMs: { min: 10, max: 3_600_000 },
  files: FILE_FORMS,
  caller: ['signed'],
} as const;

const YEAR_MS = 365 * 24 * 3600 * 1000;
/** The longest of each budget of an agent's own; the least is a millisecond. */
export const MAX_BUDGETS: Readonly<Record<keyof AgentBudgets, number>> = {
  connectMs: 600_000,
  firstEventMs: YEAR_MS,
  idleMs: YEAR_MS,
  totalMs: YEAR_MS,
  cancelWaitMs: 3_600_000,
};

/** Headers by their names; a value is a text or names a secret kept elsewhere. */
export const HEADERS = {
  values: {
    oneOf: [
      { type: 'string' },
      {
        ...SECRET_REFERENCE,
        properties: {
          ...SECRET_REFERENCE.properties,
          prefix: { type: 'string', description: 'Before the secret, such as "Bearer ".' },
        },
      },
    ],
  },
  example: { authorization: 'Bearer …', 'x-api-key': { secretRef: 'vault:agents/books#key' } },
} as const;

/** A JWK Set, or where it is. */
export const CARD_KEYS = {
  optional: true,
  nullable: true,
  example: { jwksUrl: 'https://agent.example/.well-known/jwks.json' },
} as const;

/** Those that may use an agent; null: all. */
export const ORGANIZATIONS = {
  optional: true,
  nullable: true,
  list: { min: 1, max: 1000 },
  like: NAME,
} as const;

/** A limit of the agent's own; null: the hub's. */
const OWN_LIMIT = { optional: true, nullable: true, min: 1 } as const;

/** Its own limits; null: those of the settings. */
export const OWN_CONCURRENT = {
  ...OWN_LIMIT,
  max: MAX_CONCURRENT,
  description: 'Delegations at once from one process. Null: tasks.maxPerAgent.',
} as const;
export const OWN_QUEUE = {
  ...OWN_LIMIT,
  max: MAX_QUEUE,
  description: 'Delegations that may be queued for it. Null: agents.maxQueue.',
} as const;
