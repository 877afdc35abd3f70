import type { FormEvent } from 'react';
import { useMay } from '../../../api/me';
import type { FieldViolation } from '../../../api/problem';
import { useTargets } from '../../../api/targets';
import { AgentInput, useMissingAgent } from '../../../ui/agent-input';
import { Button } from '../../../ui/button';
import { Field, Select, TextArea, TextInput, violationOf } from '../../../ui/field';
import { JsonEditor } from '../../../ui/json-editor';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { Card } from '../../../ui/page';
import { Suggest } from '../../../ui/suggest';
import { Tabs } from '../../../ui/tabs';
import type { MessageDraft } from './message-draft';

const STRATEGIES = [
  { value: 'one', label: 'One agent' },
  { value: 'all', label: 'All at once' },
  { value: 'first', label: 'The first that completes' },
];

export function DryRunForm({
  draft,
  problems,
  fault,
  busy,
  onChange,
  onRun,
}: {
  readonly draft: MessageDraft;
  readonly problems: readonly FieldViolation[];
  /** Why the message is no JSON. */
  readonly fault: string | null;
  readonly busy: boolean;
  readonly onChange: (changed: Partial<MessageDraft>) => void;
  readonly onRun: () => void;
}) {
  const mayTryOthers = useMay('routing');
  const { skills, tags } = useTargets();
  const missing = useMissingAgent(draft.agent);
  const run = (event: FormEvent) => {
    event.preventDefault();
    onRun();
  };
  return (
    <Card title="A message">
      <form className="form" onSubmit={run}>
        <Tabs
          label="How the message is written"
          value={draft.kind}
          onChange={(kind) => onChange({ kind: kind as MessageDraft['kind'] })}
          tabs={[
            {
              id: 'text',
              label: 'Text',
              content: (
                <Field label="Text" error={violationOf(problems, 'message')}>
                  <TextArea
                    rows={5}
                    placeholder="Could you describe the columns of this table?"
                    value={draft.text}
                    onChange={({ target }) => onChange({ text: target.value })}
                  />
                </Field>
              ),
            },
            {
              id: 'json',
              label: 'JSON',
              content: (
                <>
                  <p className="faint">A message of A2A, or the whole request that sends it.</p>
                  <JsonEditor
                    label="The message as JSON"
                    text={draft.json}
                    fault={fault}
                    problems={inMessage(problems)}
                    onChange={(json) => onChange({ json })}
                  />
                </>
              ),
            },
          ]}
        />
        <fieldset className="routing-fieldset">
          <legend>It asks for</legend>
          <div className="routing-pair">
            <Field label="Agent" warning={missing} error={violationOf(problems, 'agentId')}>
              <AgentInput
                placeholder="left to the hub"
                value={draft.agent}
                onChange={(agent) => onChange({ agent })}
              />
            </Field>
            <Field label="Skill" error={violationOf(problems, 'skillId')}>
              <Suggest
                placeholder="left to the hub"
                values={skills.map(({ id }) => id)}
                value={draft.skill}
                onChange={({ target }) => onChange({ skill: target.value })}
              />
            </Field>
            <Field label="Skill tags" error={violationOf(problems, 'tags')}>
              <Suggest
                placeholder="none"
                values={tags}
                value={draft.tags}
                onChange={({ target }) => onChange({ tags: target.value })}
              />
            </Field>
            <Field label="Strategy" error={violationOf(problems, 'strategy')}>
              <Select
                options={STRATEGIES}
                value={draft.strategy}
                onChange={({ target }) =>
                  onChange({ strategy: target.value as MessageDraft['strategy'] })
                }
              />
            </Field>
            <Field
              label="Accepted media types"
              error={violationOf(problems, 'acceptedOutputModes')}
            >
              <TextInput
                placeholder="any"
                value={draft.modes}
                onChange={({ target }) => onChange({ modes: target.value })}
              />
            </Field>
          </div>
        </fieldset>
        {mayTryOthers && (
          <fieldset className="routing-fieldset">
            <legend>On behalf of</legend>
            <div className="routing-pair">
              <Field label="Organization" error={violationOf(problems, 'caller.organization')}>
                <OrganizationInput
                  placeholder="your own"
                  value={draft.organization}
                  onChange={(organization) => onChange({ organization })}
                />
              </Field>
              <Field label="With the scopes" error={violationOf(problems, 'caller.scopes')}>
                <TextInput
                  placeholder="your own"
                  value={draft.scopes}
                  onChange={({ target }) => onChange({ scopes: target.value })}
                />
              </Field>
            </div>
          </fieldset>
        )}
        <div className="actions">
          <Button type="submit" kind="primary" busy={busy}>
            Who would get it?
          </Button>
          <span className="faint">Nothing is sent.</span>
        </div>
      </form>
    </Card>
  );
}

function inMessage(problems: readonly FieldViolation[]): readonly FieldViolation[] {
  return problems
    .filter(({ field }) => field.startsWith('message'))
    .map(({ field, description }) => ({ field: field.replace(/^message\.?/, ''), description }));
}
