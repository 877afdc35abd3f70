import { MAX_REPORTED, type ReportedUsage } from '../../limits/index.js';
import type { StreamResponse } from '../../protocol/a2a.js';
import type { TaskAggregate, TaskChange } from '../task.js';
import { isEnded } from './delegation-state.js';

type Metadata = { readonly [key: string]: unknown } | undefined;

/** What an event of an agent says of what it has used. */
export interface Report {
  readonly usage: ReportedUsage;
  /** Something stands under one of the keys that is no count: it is ignored. */
  readonly isInvalid: boolean;
}

const NOTHING: Report = { usage: {}, isInvalid: false };
/** What the keys of the GenAI conventions begin with; behind it they may stand in `usage`. */
const GEN_AI = 'gen_ai.usage.';

/**
 * What an event says under these keys, in the metadata of its task, status, artifacts or message; the outermost
 * counts. A key is written flat (`"gen_ai.usage.input_tokens": 5`), nested (`gen_ai: { usage: { input_tokens: 5 } }`)
 * or, of `gen_ai.usage.*`, as `usage: { input_tokens: 5 }`. Only these keys are looked up, so that what else an agent
 * sends costs nothing.
 */
export function reportIn({ payload }: StreamResponse, keys: readonly string[]): Report {
  if (payload === undefined || keys.length === 0) return NOTHING;
  const usage: Record<string, number> = {};
  let isInvalid = false;
  for (const metadata of metadatasOf(payload)) {
    if (metadata === undefined) continue;
    for (const key of keys) {
      const value = valueOf(metadata, key);
      if (value === undefined || value === null) continue;
      if (isCount(value)) usage[key] = value;
      else isInvalid = true;
    }
  }
  return { usage, isInvalid };
}

/** The same change, with the last value of each key that the agent has reported; it counts when the delegation ends. */
export function withUsage(
  change: TaskChange,
  { delegations }: Pick<TaskAggregate, 'delegations'>,
  delegationId: string,
  usage: ReportedUsage,
): TaskChange {
  const before = delegations.find(({ id }) => id === delegationId);
  if (before === undefined || isEnded(before.state)) return change;
  const known = before.progress.usage;
  if (Object.entries(usage).every(([key, value]) => known?.[key] === value)) return change;
  const patch = change.delegations?.find(({ id }) => id === delegationId);
  const progress = {
    ...(patch?.progress ?? before.progress),
    usage: { ...known, ...usage },
  };
  const others = change.delegations?.filter(({ id }) => id !== delegationId) ?? [];
  return { ...change, delegations: [...others, { ...patch, id: delegationId, progress }] };
}

/** Innermost first. */
function metadatasOf(payload: NonNullable<StreamResponse['payload']>): readonly Metadata[] {
  switch (payload.$case) {
    case 'task': {
      const { artifacts, status, metadata } = payload.value;
      return [...artifacts.map((each) => each.metadata), status?.message?.metadata, metadata];
    }
    case 'statusUpdate':
      return [payload.value.status?.message?.metadata, payload.value.metadata];
    case 'artifactUpdate':
      return [payload.value.artifact?.metadata, payload.value.metadata];
    case 'message':
      return [payload.value.metadata];
  }
}

function valueOf(metadata: NonNullable<Metadata>, key: string): unknown {
  if (Object.hasOwn(metadata, key)) return metadata[key];
  const nested = memberAt(metadata, key);
  if (nested !== undefined || !key.startsWith(GEN_AI)) return nested;
  const usage = Object.hasOwn(metadata, 'usage') ? metadata['usage'] : undefined;
  const name = key.slice(GEN_AI.length);
  return isObject(usage) && Object.hasOwn(usage, name) ? usage[name] : undefined;
}

function memberAt(metadata: NonNullable<Metadata>, key: string): unknown {
  let at: unknown = metadata;
  for (const name of key.split('.')) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_REPORTED;
}
