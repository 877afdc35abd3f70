import type { Agent } from '../../agents/index.js';
import { missingExtensions } from '../../routing/index.js';
import type { SentWith, TaskRecord } from '../task.js';
import type { RunDeps } from './run-deps.js';

/**
 * Why this registered agent must not get a first message, as a clause that follows its name; undefined when it
 * may. Repeats the checks of routing: a fallback may be used long after the route was made. What policies said of its caller then still holds.
 */
export function refusalOfNewWork(
  registry: Pick<RunDeps['registry'], 'isOpenTo'>,
  agent: Agent,
  { organization }: TaskRecord,
  { extensions }: SentWith,
): string | undefined {
  if (!agent.enabled) return 'is disabled';
  if (!registry.isOpenTo(organization, agent)) return 'is no longer available to you';
  const missing = missingExtensions(agent, extensions);
  return missing.length === 0
    ? undefined
    : `requires ${missing.join(', ')}, which was not asked for`;
}
