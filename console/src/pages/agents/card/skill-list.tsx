import { useState } from 'react';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Empty } from '../../../ui/feedback';
import { TextInput } from '../../../ui/field';
import { counted } from '../../../ui/lists';
import { LongText } from '../../../ui/parts/long-text';
import { type CardSkill, DESCRIPTION } from './agent-card';

/** Skills that are shown at first. */
const SHOWN = 10;

/** The skills of a card: what the hub routes by. */
export function SkillList({ skills }: { readonly skills: readonly CardSkill[] }) {
  if (skills.length === 0) {
    return (
      <Empty title="The card names no skills">
        Messages reach the agent by its id, and by rules that name it.
      </Empty>
    );
  }
  return <Skills skills={skills} />;
}

/** Few of many, until one looks for others. */
function Skills({ skills }: { readonly skills: readonly CardSkill[] }) {
  const [text, setText] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  const wanted = text.trim().toLowerCase();
  const fitting = skills.filter(({ id = '', name = '', tags = [] }) =>
    [id, name, ...tags].some((each) => each.toLowerCase().includes(wanted)),
  );
  const shown = isWhole ? fitting : fitting.slice(0, SHOWN);
  return (
    <>
      {skills.length > SHOWN && (
        <TextInput
          type="search"
          aria-label="Find a skill"
          placeholder="Find by name, id or tag"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <SkillRows skills={shown} />
      {shown.length < fitting.length && (
        <Button small onClick={() => setIsWhole(true)}>
          Show all {counted(fitting.length, 'skill')}
        </Button>
      )}
      {fitting.length === 0 && <p className="faint">No skill is called so.</p>}
    </>
  );
}

function SkillRows({ skills }: { readonly skills: readonly CardSkill[] }) {
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
          {skill.description && <LongText text={skill.description} characters={DESCRIPTION} />}
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
