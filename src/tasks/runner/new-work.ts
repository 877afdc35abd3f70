import { namedList } from '../../common/named-list.js';
import type { Agent } from '../../agents/index.js';
import { missingExtensions } from '../../routing/index.js';
import type { EndCode, SentWith, TaskRecord } from '../task.js';
import type { RunDeps } from './run-deps.js';

/** Why an agent gets no first message. */
export interface RefusedWork {
  /** A clause that follows its name. */
  readonly what: string;
  readonly code: EndCode;
}

/**
 * Why this registered agent must not get a first message; undefined when it may. Repeats the checks of routing: a
 * fallback may be used long after the route was made. What policies said of its caller then still holds.
 */
export function refusalOfNewWork(
  registry: Pick<RunDeps['registry'], 'isOpenTo'>,
  agent: Agent,
  { organization }: TaskRecord,
  { extensions }: SentWith,
): RefusedWork | undefined {
  if (!agent.enabled) return { what: 'is disabled', code: 'AGENT_DISABLED' };
  if (!registry.isOpenTo(organization, agent)) {
    return { what: 'is no longer available to you', code: 'PERMISSION_DENIED' };
  }
  const missing = missingExtensions(agent, new Set(extensions));
  return missing.length === 0
    ? undefined
    : {
        what: `requires ${namedList(missing)}, which was not asked for`,
        code: 'EXTENSION_SUPPORT_REQUIRED',
      };
}
