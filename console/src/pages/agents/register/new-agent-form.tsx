import type { FormEvent } from 'react';
import type { Schema } from '../../../api/client';
import { useMay, useMe } from '../../../api/me';
import type { ApiProblem } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Checkbox, Field, TextInput, violationOf } from '../../../ui/field';
import { betweenCommas } from '../../../ui/lists';
import { OrganizationsInput } from '../../../ui/organization-inputs';
import { useMissingOrganizations } from '../../../ui/organization-names';
import { Card } from '../../../ui/page';
import { SaveFault } from '../../../ui/save-fault';
import { AuthenticationFields } from '../credentials/authentication-fields';
import { HeaderEditor } from '../credentials/header-editor';
import type { NewSettings } from './register-request';

/** What is set of the agent; all of it can be changed later on. */
export function NewAgentForm({
  found,
  settings,
  onChange,
  onRegister,
  busy,
  error,
}: {
  readonly found: Schema<'AgentCheckDto'>;
  readonly settings: NewSettings;
  readonly onChange: (settings: NewSettings) => void;
  readonly onRegister: () => void;
  readonly busy: boolean;
  readonly error: ApiProblem | null;
}) {
  const seesAll = useMay('agents');
  const own = useMe().data?.organization;
  const missing = useMissingOrganizations(betweenCommas(settings.organizations));
  const violations = error?.violations ?? [];
  const set = (part: Partial<NewSettings>) => onChange({ ...settings, ...part });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRegister();
  };
  return (
    <form onSubmit={submit}>
      <Card title="3. Settings">
        <div className="form">
          <p className="faint">All of it can be left as it is, and changed later on its page.</p>
          <div className="agents-fields">
            <Field
              label="Id"
              hint="By which clients and rules name it: a-z, 0-9 and -. Empty: made of its name."
              error={violationOf(violations, 'id')}
            >
              <TextInput value={settings.id} onChange={({ target }) => set({ id: target.value })} />
            </Field>
            <Field
              label="Tags"
              hint="Your own, with commas between them."
              error={violationOf(violations, 'tags')}
            >
              <TextInput
                value={settings.tags}
                onChange={({ target }) => set({ tags: target.value })}
              />
            </Field>
            {seesAll && (
              <Field
                label="Organizations"
                hint="Only these may use it, with commas between them. Empty: everybody."
                warning={missing}
                error={violationOf(violations, 'organizations')}
              >
                <OrganizationsInput
                  value={settings.organizations}
                  onChange={(organizations) => set({ organizations })}
                />
              </Field>
            )}
            <Field
              label="Priority"
              hint="Among agents that match as well, the higher is tried first. Empty: 0."
              error={violationOf(violations, 'priority')}
            >
              <TextInput
                inputMode="numeric"
                value={settings.priority}
                onChange={({ target }) => set({ priority: target.value })}
              />
            </Field>
          </div>
          {!seesAll && <p className="faint">Only {own} will be able to use it.</p>}
          <h3>Headers sent with each call</h3>
          <HeaderEditor
            rows={settings.headers}
            onChange={(headers) => set({ headers })}
            error={violationOf(violations, 'credentials')}
          />
          <details
            className="agents-more"
            open={found.security.some(({ missing }) =>
              missing.some((each) => each.includes('set authentication')),
            )}
          >
            <summary>Access tokens and certificates</summary>
            <div className="form">
              <AuthenticationFields
                chosen={settings.authentication}
                onChange={(authentication) => set({ authentication })}
                violations={violations}
              />
            </div>
          </details>
          <Checkbox
            label="It gets work at once"
            checked={settings.enabled}
            onChange={({ target }) => set({ enabled: target.checked })}
          />
          {error && <SaveFault error={error} />}
          <div>
            <Button type="submit" kind="primary" busy={busy}>
              Register {found.name}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  );
}
