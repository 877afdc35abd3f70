import { Badge } from '../../../ui/badge';
import { Empty } from '../../../ui/feedback';
import type { CardSkill } from './agent-card';

/** The skills of a card: what the hub routes by. */
export function SkillList({ skills }: { readonly skills: readonly CardSkill[] }) {
  if (skills.length === 0) {
    return (
      <Empty title="The card names no skills">
        Messages reach the agent by its id, and by rules that name it.
      </Empty>
    );
  }
  return (
    <ul className="agents-skills">
      {skills.map((skill, index) => (
        <li key={skill.id ?? index}>
          <div className="agents-badges">
            <strong>{skill.name}</strong>
            <code>{skill.id}</code>
            {skill.tags?.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </div>
          {skill.description && <p>{skill.description}</p>}
          {skill.examples && skill.examples.length > 0 && (
            <ul className="agents-examples" aria-label={`Examples of ${skill.name ?? skill.id}`}>
              {skill.examples.map((example) => (
                <li key={example}>{example}</li>
              ))}
            </ul>
          )}
          <Modes skill={skill} />
        </li>
      ))}
    </ul>
  );
}

function Modes({ skill: { inputModes, outputModes } }: { readonly skill: CardSkill }) {
  const parts = [
    inputModes?.length ? `takes ${inputModes.join(', ')}` : null,
    outputModes?.length ? `gives ${outputModes.join(', ')}` : null,
  ].filter(Boolean);
  return parts.length === 0 ? null : <p className="agents-sub">{parts.join('; ')}</p>;
}
