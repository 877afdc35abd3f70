import { useTargets } from '../../api/targets';
import { AgentInput, useMissingAgent } from '../../ui/agent-input';
import { Field } from '../../ui/field';
import { ListInput } from '../../ui/list-input';
import { Suggest } from '../../ui/suggest';

/** What a rule or a step may name, with what there is as suggestions. */
export function TargetSuggest({
  kind,
  value,
  error,
  onChange,
}: {
  readonly kind: 'agentId' | 'skillId' | 'tags' | 'composite';
  readonly value: string | readonly string[] | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: string | string[]) => void;
}) {
  const { skills, tags, composites } = useTargets();
  const missing = useMissingAgent(
    kind === 'agentId' && typeof value === 'string' ? value : undefined,
  );
  if (kind === 'tags') {
    return (
      <Field label="Tags" error={error}>
        <ListInput
          placeholder="translation, german"
          suggestions={tags}
          values={typeof value === 'string' ? [value] : (value ?? [])}
          onChange={onChange}
        />
      </Field>
    );
  }
  const text = typeof value === 'string' ? value : '';
  if (kind === 'agentId') {
    return (
      <Field label="Agent" warning={missing} error={error}>
        <AgentInput value={text} onChange={onChange} />
      </Field>
    );
  }
  const known = {
    skillId: {
      label: 'Skill',
      values: skills.map(({ id }) => id).filter((id) => !id.startsWith('composite.')),
    },
    composite: { label: 'Composite skill', values: composites },
  }[kind];
  return (
    <Field label={known.label} error={error}>
      <Suggest
        values={known.values}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
