import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { type Scope, useMay, useMe } from '../../../api/me';
import { invalidField } from '../../../api/problem';
import { Field, Select, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { listOf, textOfList } from '../../../ui/lists';
import { OnceSecret } from '../../../ui/once-secret';
import { notify } from '../../../ui/toast';
import { present } from '../../../ui/search';
import { refreshAccess } from '../query-keys';
import { newOrganization } from '../shared/missing';
import { PrincipalInput } from '../shared/principal-inputs';
import { ExpiryFields, expiryOf, type Expiry } from './expiry-fields';
import { ScopeChoice } from './scope-choice';

/** Makes a key: for a new principal, or a further one for `principal`. Shows it once. */
export function KeyForm({
  principal,
  onClose,
}: {
  readonly principal?: string | undefined;
  readonly onClose: () => void;
}) {
  const mayAll = useMay('access');
  const held = useMe().data?.scopes;
  const [name, setName] = useState('');
  const [whose, setWhose] = useState(principal ?? '');
  const [isNew, setIsNew] = useState(principal === undefined);
  const [organization, setOrganization] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['a2a']);
  const [expiry, setExpiry] = useState<Expiry>({ kind: '90', at: '' });
  const [networks, setNetworks] = useState('');
  const [origins, setOrigins] = useState('');
  const [made, setMade] = useState<Schema<'CreatedKeyDto'> | null>(null);
  if (made) {
    return (
      <OnceSecret
        title={`The key ${made.name}`}
        label="API key"
        secret={made.key}
        onClose={onClose}
      />
    );
  }
  const submit = async () => {
    if (!isNew && whose.trim() === '') {
      const description = 'Name the principal: by its id, or by its name.';
      throw invalidField('principal', description, 'The key is for no principal yet.');
    }
    const expiresAt = expiryOf(expiry);
    const { data } = await client.POST('/api/v1/keys', {
      body: {
        name: name.trim(),
        scopes: [...scopes],
        ...(isNew ? present({ organization: organization.trim() }) : { principal: whose.trim() }),
        // An end without its time is sent as it is: the hub refuses it. Left out, the key would have no end.
        ...(expiresAt !== undefined && { expiresAt }),
        allowedNetworks: listOf(networks),
        allowedOrigins: listOf(origins),
      },
    });
    notify(`The key ${data!.name} was made.`);
    await refreshAccess();
    setMade(data!);
    return false;
  };
  return (
    <FormDialog
      wide
      title="New key"
      action="Create the key"
      onClose={onClose}
      check={() => newOrganization(isNew ? organization : '')}
      onSubmit={submit}
    >
      {(violations) => (
        <>
          <div className="access-pair">
            <Field
              label="Name"
              hint="For people: who or what uses it."
              error={violationOf(violations, 'name')}
            >
              <TextInput required value={name} onChange={(event) => setName(event.target.value)} />
            </Field>
            <Field label="For">
              <Select
                value={isNew ? 'new' : 'existing'}
                onChange={(event) => setIsNew(event.target.value === 'new')}
                options={[
                  { value: 'new', label: 'A new principal' },
                  { value: 'existing', label: 'A principal that there is' },
                ]}
              />
            </Field>
            {!isNew && (
              <Field label="Principal" error={violationOf(violations, 'principal')}>
                <PrincipalInput value={whose} onChange={setWhose} />
              </Field>
            )}
            {isNew && mayAll && (
              <Field
                label="Organization"
                hint="Empty: default."
                error={violationOf(violations, 'organization')}
              >
                <OrganizationInput value={organization} onChange={setOrganization} />
              </Field>
            )}
            <ExpiryFields
              value={expiry}
              onChange={setExpiry}
              error={violationOf(violations, 'expiresAt')}
            />
          </div>
          <ScopeChoice
            held={held}
            chosen={scopes}
            onChange={setScopes}
            error={violationOf(violations, 'scopes')}
          />
          <PlaceFields
            networks={networks}
            origins={origins}
            onNetworks={setNetworks}
            onOrigins={setOrigins}
            violations={violations}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Where a key may be used. */
function PlaceFields({
  networks,
  origins,
  onNetworks,
  onOrigins,
  violations,
}: {
  readonly networks: string;
  readonly origins: string;
  readonly onNetworks: (text: string) => void;
  readonly onOrigins: (text: string) => void;
  readonly violations: Parameters<typeof violationOf>[0];
}) {
  return (
    <div className="access-pair">
      <Field
        label="Only from these networks"
        hint="Addresses and CIDR blocks, with commas. Empty: from everywhere."
        error={violationOf(violations, 'allowedNetworks')}
      >
        <TextInput
          placeholder="10.0.0.0/8"
          value={networks}
          onChange={(event) => onNetworks(event.target.value)}
        />
      </Field>
      <Field
        label="Only from these web origins"
        hint="With commas. Empty: any call."
        error={violationOf(violations, 'allowedOrigins')}
      >
        <TextInput
          placeholder="https://app.example"
          value={origins}
          onChange={(event) => onOrigins(event.target.value)}
        />
      </Field>
    </div>
  );
}

/** Changes the name, the end and the places of a key. */
export function KeyChangeForm({
  apiKey,
  onClose,
}: {
  readonly apiKey: Schema<'KeyDto'>;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(apiKey.name);
  const [begun] = useState<Expiry>(
    apiKey.expiresAt === null ? { kind: 'never', at: '' } : { kind: 'at', at: apiKey.expiresAt },
  );
  const [expiry, setExpiry] = useState(begun);
  const [networks, setNetworks] = useState(textOfList(apiKey.allowedNetworks));
  const [origins, setOrigins] = useState(textOfList(apiKey.allowedOrigins));
  const opens =
    (apiKey.allowedNetworks.length > 0 && networks.trim() === '') ||
    (apiKey.allowedOrigins.length > 0 && origins.trim() === '');
  return (
    <FormDialog
      title={`Change the key ${apiKey.name}`}
      action="Save"
      onClose={onClose}
      onSubmit={async () => {
        await client.PATCH('/api/v1/keys/{id}', {
          params: { path: { id: apiKey.id } },
          // What was not edited stays as it is by now.
          body: {
            ...(name.trim() !== apiKey.name && { name: name.trim() }),
            ...(expiry !== begun && { expiresAt: expiryOf(expiry) ?? null }),
            ...(networks !== textOfList(apiKey.allowedNetworks) && {
              allowedNetworks: listOf(networks),
            }),
            ...(origins !== textOfList(apiKey.allowedOrigins) && {
              allowedOrigins: listOf(origins),
            }),
          },
        });
        notify(`The key ${name.trim()} was changed.`);
        await refreshAccess();
      }}
    >
      {(violations) => (
        <>
          <Field label="Name" error={violationOf(violations, 'name')}>
            <TextInput value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <div className="access-pair">
            <ExpiryFields
              value={expiry}
              onChange={setExpiry}
              error={violationOf(violations, 'expiresAt')}
            />
          </div>
          <PlaceFields
            networks={networks}
            origins={origins}
            onNetworks={setNetworks}
            onOrigins={setOrigins}
            violations={violations}
          />
          {opens && (
            <p role="status">An empty list opens the key to everywhere. To shut it, revoke it.</p>
          )}
        </>
      )}
    </FormDialog>
  );
}
