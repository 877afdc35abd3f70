import type { Schema } from '../../../api/client';
import { betweenCommas } from '../../../ui/lists';
import { numberOf } from '../../../ui/number-text';

type Agent = Schema<'AgentDto'>;
type Patch = Schema<'PatchAgentDto'>;

const BUDGETS = ['connectMs', 'firstEventMs', 'idleMs', 'totalMs', 'cancelWaitMs'] as const;
const SWITCHES = ['streaming', 'blocking', 'pollIntervalMs', 'files', 'caller'] as const;

export type Budget = (typeof BUDGETS)[number];
export type Switch = (typeof SWITCHES)[number];

/** What an operator has set of an agent, as texts of inputs; an empty one is the hub's choice. */
export interface Settings extends Readonly<Record<Budget | Switch, string>> {
  readonly tags: string;
  readonly organizations: string;
  readonly priority: string;
  readonly weight: string;
  readonly maxConcurrent: string;
  readonly maxQueue: string;
  readonly endpointOverride: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
  readonly cardKeys: string;
}

export function settingsOf(agent: Agent): Settings {
  const { budgets, switches } = agent;
  return {
    tags: agent.tags.join(', '),
    organizations: agent.organizations?.join(', ') ?? '',
    priority: String(agent.priority),
    weight: String(agent.weight),
    maxConcurrent: textOf(agent.maxConcurrent),
    maxQueue: textOf(agent.maxQueue),
    endpointOverride: agent.endpointOverride ?? '',
    protocolBinding: agent.protocolBinding ?? '',
    protocolVersion: agent.protocolVersion ?? '',
    cardKeys: agent.cardKeys === null ? '' : JSON.stringify(agent.cardKeys, null, 2),
    connectMs: textOf(budgets.connectMs),
    firstEventMs: textOf(budgets.firstEventMs),
    idleMs: textOf(budgets.idleMs),
    totalMs: textOf(budgets.totalMs),
    cancelWaitMs: textOf(budgets.cancelWaitMs),
    streaming: textOf(switches.streaming),
    blocking: textOf(switches.blocking),
    pollIntervalMs: textOf(switches.pollIntervalMs),
    files: textOf(switches.files),
    caller: textOf(switches.caller),
  };
}

/** The PATCH of what was edited alone. Throws a SyntaxError for keys that are no JSON. */
export function patchOf(edits: Partial<Settings>): Patch {
  const patch: Record<string, unknown> = {};
  const budgets: Record<string, unknown> = {};
  const switches: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(edits) as [keyof Settings, string][]) {
    if ((BUDGETS as readonly string[]).includes(name)) budgets[name] = valueOf(name, text);
    else if ((SWITCHES as readonly string[]).includes(name)) switches[name] = valueOf(name, text);
    else patch[name] = valueOf(name, text);
  }
  return {
    ...(patch as Patch),
    ...(Object.keys(budgets).length > 0 && { budgets }),
    ...(Object.keys(switches).length > 0 && { switches }),
  };
}

function valueOf(name: keyof Settings, text: string): unknown {
  const trimmed = text.trim();
  switch (name) {
    case 'tags':
      return betweenCommas(text);
    case 'organizations':
      return trimmed === '' ? null : betweenCommas(text);
    case 'cardKeys':
      return trimmed === '' ? null : JSON.parse(trimmed);
    case 'priority':
    case 'weight':
    case 'maxConcurrent':
    case 'maxQueue':
    case 'pollIntervalMs':
    case 'connectMs':
    case 'firstEventMs':
    case 'idleMs':
    case 'totalMs':
    case 'cancelWaitMs':
      return numberOf(trimmed);
    default:
      return trimmed === '' ? null : trimmed;
  }
}

function textOf(value: string | number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}
