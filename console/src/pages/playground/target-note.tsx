import { useTargets } from '../../api/targets';
import type { Target, TargetKind } from './target';

/** Names that are shown of those there are. */
const SHOWN = 10;

/** What becomes of a message whose target is not named yet, or is not there. */
export function TargetNote({
  kind,
  target,
}: {
  /** What is chosen, also while it has no name yet. */
  readonly kind: TargetKind;
  readonly target: Target;
}) {
  const { agents, skills } = useTargets();
  const name = target.name.trim();
  const note =
    kind === 'hub'
      ? null
      : noteOf(
          kind,
          name,
          agents,
          skills.map(({ id }) => id),
        );
  return (
    <p className="faint playground-note" role="status">
      {note}
    </p>
  );
}

function noteOf(
  kind: Exclude<TargetKind, 'hub'>,
  name: string,
  agents: readonly string[],
  skills: readonly string[],
): string | null {
  if (name === '') {
    return kind === 'agent' && agents.length > 0
      ? `No agent is chosen: the hub chooses one. There are ${listed(agents)}.`
      : `No ${NOUNS[kind]} is chosen: the hub chooses the agent.`;
  }
  // An agent without skills is not in the hub's card: the hub has the last word.
  if (kind === 'agent' && agents.length > 0 && !agents.includes(name)) {
    return `“${name}” is no agent of the hub’s card. There are ${listed(agents)}.`;
  }
  if (kind === 'skill' && skills.length > 0 && !skills.some((id) => isSkill(id, name))) {
    return `“${name}” is no skill of the hub’s card. There are ${listed(skills)}.`;
  }
  return null;
}

const NOUNS = { agent: 'agent', skill: 'skill', tags: 'tag' } as const;

/** Whether a skill of the hub is named so, with its agent or without. */
function isSkill(id: string, name: string): boolean {
  return id === name || id.slice(id.indexOf('.') + 1) === name;
}

function listed(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
