import { useQuery } from '@tanstack/react-query';
import { callA2a } from './a2a';
import { useMay } from './me';

/** A skill of the hub's card. */
export interface HubSkill {
  /** `agentId.skillId`, or `composite.<id>`. */
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly examples?: readonly string[];
}

/** Whom a message of the caller may go to. */
export interface Targets {
  readonly skills: readonly HubSkill[];
  readonly agents: readonly string[];
  readonly tags: readonly string[];
  readonly composites: readonly string[];
}

const NO_TARGETS: Targets = { skills: [], agents: [], tags: [], composites: [] };
const COMPOSITE = 'composite';
const FRESH_MS = 30_000;

/** Whom a message of the caller may go to, by the hub's card; nobody where it may not send any. */
export function useTargets(): Targets {
  const enabled = useMay('a2a');
  const card = useQuery({
    queryKey: ['hub-card'],
    queryFn: ({ signal }) => callA2a<unknown>('GetExtendedAgentCard', {}, signal),
    select: targetsOf,
    staleTime: FRESH_MS,
    enabled,
  });
  return card.data ?? NO_TARGETS;
}

function targetsOf(card: unknown): Targets {
  const skills = (card as { readonly skills?: readonly HubSkill[] }).skills ?? [];
  const split = skills.map(({ id }) => {
    const dot = id.indexOf('.');
    return { agent: id.slice(0, dot), skill: id.slice(dot + 1) };
  });
  return {
    skills,
    agents: unique(split.map(({ agent }) => agent).filter((agent) => agent !== COMPOSITE)),
    tags: unique(skills.flatMap(({ tags = [] }) => tags)),
    composites: split.filter(({ agent }) => agent === COMPOSITE).map(({ skill }) => skill),
  };
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}
