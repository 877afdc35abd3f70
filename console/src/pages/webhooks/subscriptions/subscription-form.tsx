import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Checkbox, Field, Select, TextInput, violationOf } from '../../../ui/field';
import { useMissingAgents } from '../../../ui/agent-input';
import { useAgentNames } from '../../../ui/agent-names';
import { ListInput } from '../../../ui/list-input';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { useMissingOrganizations } from '../../../ui/organization-names';
import { betweenCommas } from '../../../ui/lists';
import { notify } from '../../../ui/toast';
import { refreshPush } from '../keys';
import { AddressField, BodiesField, EventsField } from '../shared/delivery-fields';
import { emptySecrets, SecretsFields, secretsOf } from '../shared/secrets-form';

type Subscription = Schema<'SubscriptionDto'>;
type State = NonNullable<Schema<'SubscriptionFilterDto'>['states']>[number];

const STATES: readonly State[] = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
];

/** Makes a subscription, or changes one for all its tasks. */
export function SubscriptionForm({
  subscription,
  onClose,
}: {
  readonly subscription: Subscription | null;
  readonly onClose: () => void;
}) {
  const mayAll = useMay('push:all');
  const mayOrganization = useMay('tasks:organization');
  const isNew = subscription === null;
  const [name, setName] = useState(subscription?.name ?? '');
  const [url, setUrl] = useState(subscription?.url ?? '');
  const [events, setEvents] = useState<Subscription['events']>(subscription?.events ?? 'changes');
  const [version, setVersion] = useState<Subscription['version']>('1.0');
  const [scope, setScope] = useState('');
  const [organization, setOrganization] = useState('');
  const [agents, setAgents] = useState<readonly string[]>(subscription?.filter?.agents ?? []);
  const [tags, setTags] = useState((subscription?.filter?.tags ?? []).join(', '));
  const [states, setStates] = useState<readonly State[]>(subscription?.filter?.states ?? []);
  const [secrets, setSecrets] = useState(emptySecrets(!isNew));
  const { known } = useAgentNames();
  const missing = useMissingAgents(agents);
  const missingOrganization = useMissingOrganizations([organization.trim()]);
  const submit = async () => {
    const given = name.trim() === '' ? null : name.trim();
    const filter = filterOf(agents, betweenCommas(tags), states);
    if (isNew) {
      await client.POST('/api/v1/push/subscriptions', {
        body: {
          ...{ events, name: given, filter },
          url: url.trim(),
          version,
          ...(scope !== '' && { scope: scope as Subscription['scope'] }),
          ...(organization.trim() !== '' && { organization: organization.trim() }),
          ...secretsOf(secrets, true),
        },
      });
      notify('The subscription was made. It gets the tasks that begin from now on.');
    } else {
      await client.PATCH('/api/v1/push/subscriptions/{id}', {
        params: { path: { id: subscription.id } },
        body: {
          // What was not edited stays as it is by now.
          ...(events !== subscription.events && { events }),
          ...(given !== subscription.name && { name: given }),
          ...(JSON.stringify(filter) !== JSON.stringify(filterAsBegun(subscription)) && { filter }),
          ...(url.trim() !== subscription.url && { url: url.trim() }),
          ...secretsOf(secrets, false),
        },
      });
      notify('The subscription was changed for all its tasks.');
    }
    await refreshPush();
  };
  return (
    <FormDialog
      wide
      title={isNew ? 'New subscription' : `Change ${subscription.name ?? 'the subscription'}`}
      description={
        isNew
          ? 'A webhook on every task that begins from now on, or on those that fit.'
          : 'Counts for all its tasks at once; a changed filter for those that begin afterwards.'
      }
      action={isNew ? 'Create' : 'Save'}
      onClose={onClose}
      onSubmit={submit}
    >
      {(violations) => (
        <>
          <div className="webhooks-pair">
            <Field label="Name" error={violationOf(violations, 'name')}>
              <TextInput value={name} onChange={(event) => setName(event.target.value)} />
            </Field>
            <AddressField value={url} onChange={setUrl} violations={violations} />
            <EventsField value={events} onChange={setEvents} violations={violations} />
            {isNew && <BodiesField value={version} onChange={setVersion} violations={violations} />}
            {isNew && (
              <Field label="Whose tasks" error={violationOf(violations, 'scope')}>
                <Select
                  value={scope}
                  onChange={(event) => setScope(event.target.value)}
                  options={[
                    ...(mayOrganization
                      ? [
                          { value: '', label: 'All of the organization' },
                          { value: 'own', label: 'Your own' },
                        ]
                      : [{ value: '', label: 'Your own' }]),
                  ]}
                />
              </Field>
            )}
            {isNew && mayAll && (
              <Field
                label="Organization"
                hint="Empty: your own."
                warning={missingOrganization}
                error={violationOf(violations, 'organization')}
              >
                <OrganizationInput value={organization} onChange={setOrganization} />
              </Field>
            )}
          </div>
          <fieldset className="webhooks-secrets">
            <legend>Which tasks</legend>
            <div className="webhooks-pair">
              <Field
                label="Agents"
                hint="Ids, with commas; one of them works on the task. Empty: any."
                warning={missing}
                error={violationOf(violations, 'filter.agents')}
              >
                <ListInput
                  suggestions={known.map(({ id }) => id)}
                  values={agents}
                  onChange={setAgents}
                />
              </Field>
              <Field
                label="Tags"
                hint="With commas; the skill or its agent has one. Empty: any."
                error={violationOf(violations, 'filter.tags')}
              >
                <TextInput value={tags} onChange={(event) => setTags(event.target.value)} />
              </Field>
            </div>
            <p className="hint">Only changes into these states; none chosen: all, and artifacts.</p>
            <div className="webhooks-states">
              {STATES.map((state) => (
                <Checkbox
                  key={state}
                  label={state}
                  checked={states.includes(state)}
                  onChange={(event) =>
                    setStates(
                      event.target.checked
                        ? [...states, state]
                        : states.filter((each) => each !== state),
                    )
                  }
                />
              ))}
            </div>
          </fieldset>
          <SecretsFields
            draft={secrets}
            onChange={setSecrets}
            keep={!isNew}
            violations={violations}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Null for all tasks. */
/** The filter as the form has it at first, in the same order. */
function filterAsBegun({ filter }: Subscription) {
  return filterOf(filter?.agents ?? [], filter?.tags ?? [], filter?.states ?? []);
}

function filterOf(agents: readonly string[], tags: readonly string[], states: readonly State[]) {
  if (agents.length + tags.length + states.length === 0) return null;
  return {
    ...(agents.length > 0 && { agents: [...agents] }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(states.length > 0 && { states: [...states] }),
  };
}
