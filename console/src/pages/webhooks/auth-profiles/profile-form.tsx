import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { Checkbox, Field, Select, TextArea, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { useMissingOrganizations } from '../../../ui/organization-names';
import { listOf } from '../../../ui/lists';
import { notify } from '../../../ui/toast';
import { present } from '../../../ui/search';
import { refreshPush } from '../keys';

type Create = Schema<'CreateAuthProfileDto'>;
type Scheme = Create['scheme'];
type Parameter =
  | 'username'
  | 'header'
  | 'tokenUrl'
  | 'clientId'
  | 'scope'
  | 'audience'
  | 'certificate'
  | 'ca';

const SCHEMES: readonly {
  readonly value: Scheme;
  readonly label: string;
  readonly secret: string | null;
  readonly parameters: readonly (readonly [Parameter, string])[];
}[] = [
  {
    value: 'hmac',
    label: 'HMAC signature',
    secret: 'Secret (whsec_…; empty: the hub makes one)',
    parameters: [],
  },
  {
    value: 'ed25519',
    label: 'ed25519 signature',
    secret: 'Key (whsk_…; empty: the hub makes one)',
    parameters: [],
  },
  { value: 'jwt', label: 'Token signed by the hub (JWT)', secret: null, parameters: [] },
  { value: 'bearer', label: 'Bearer token', secret: 'Token', parameters: [] },
  { value: 'basic', label: 'Basic', secret: 'Password', parameters: [['username', 'User name']] },
  {
    value: 'api-key',
    label: 'API key',
    secret: 'Key',
    parameters: [['header', 'Header (empty: X-API-Key)']],
  },
  {
    value: 'oauth2',
    label: 'OAuth 2.0 client credentials',
    secret: 'Client secret',
    parameters: [
      ['tokenUrl', 'Token endpoint'],
      ['clientId', 'Client id'],
      ['scope', 'Scope'],
      ['audience', 'Audience'],
    ],
  },
  {
    value: 'mtls',
    label: 'Client certificate (mTLS)',
    secret: 'Private key (PEM)',
    parameters: [
      ['certificate', 'Certificate (PEM)'],
      ['ca', 'Authorities of the receiver (PEM; empty: the public ones)'],
    ],
  },
];

/** Makes an auth profile. `onIssued` gets a secret that the hub made. */
export function ProfileForm({
  onClose,
  onIssued,
}: {
  readonly onClose: () => void;
  readonly onIssued: (secret: string) => void;
}) {
  const [name, setName] = useState('');
  const [scheme, setScheme] = useState<Scheme>('hmac');
  const [urls, setUrls] = useState('');
  const [automatic, setAutomatic] = useState(false);
  const [everyone, setEveryone] = useState(false);
  const [organization, setOrganization] = useState('');
  const [secret, setSecret] = useState('');
  const [parameters, setParameters] = useState<Partial<Record<Parameter, string>>>({});
  const known = SCHEMES.find(({ value }) => value === scheme)!;
  const missing = useMissingOrganizations([organization.trim()]);
  const submit = async () => {
    const isReference = /^(env|file|vault|aws):/.test(secret);
    const { data } = await client.POST('/api/v1/push/auth-profiles', {
      body: {
        name: name.trim(),
        scheme,
        urls: listOf(urls),
        automatic,
        ...present({ organization: organization.trim() }),
        ...(everyone && { organization: null }),
        ...(known.secret !== null &&
          secret !== '' && { [isReference ? 'secretRef' : 'secret']: secret }),
        ...present(
          Object.fromEntries(known.parameters.map(([each]) => [each, parameters[each] ?? ''])),
        ),
      },
    });
    notify(`The profile ${data!.name} was made.`);
    if (data!.issuedSecret) onIssued(data!.issuedSecret);
    await refreshPush();
  };
  return (
    <FormDialog
      title="New auth profile"
      description="How the hub proves itself to receivers at some addresses. Its secret is kept by the hub and never shown again."
      action="Create"
      onClose={onClose}
      onSubmit={submit}
    >
      {(violations) => (
        <>
          <div className="webhooks-pair">
            <Field label="Name" hint="a-z, 0-9 and -" error={violationOf(violations, 'name')}>
              <TextInput required value={name} onChange={(event) => setName(event.target.value)} />
            </Field>
            <Field label="Scheme" error={violationOf(violations, 'scheme')}>
              <Select
                value={scheme}
                onChange={(event) => setScheme(event.target.value as Scheme)}
                options={SCHEMES.map(({ value, label }) => ({ value, label }))}
              />
            </Field>
          </div>
          <Field
            label="Addresses"
            hint="One in each line: https://*.example.com/hooks"
            error={violationOf(violations, 'urls')}
          >
            <TextArea rows={2} value={urls} onChange={(event) => setUrls(event.target.value)} />
          </Field>
          {known.parameters.map(([each, label]) => (
            <Field key={each} label={label} error={violationOf(violations, each)}>
              <TextInput
                value={parameters[each] ?? ''}
                onChange={(event) => setParameters({ ...parameters, [each]: event.target.value })}
              />
            </Field>
          ))}
          {known.secret !== null && (
            <Field
              label={known.secret}
              hint="Or where it is kept: env:NAME, file:/PATH, vault:PATH#FIELD, aws:NAME."
              error={violationOf(violations, 'secret') ?? violationOf(violations, 'secretRef')}
            >
              <input
                className="input"
                type="password"
                autoComplete="off"
                value={secret}
                onChange={(event) => setSecret(event.target.value)}
              />
            </Field>
          )}
          <Field
            label="Organization"
            hint="Empty: your own."
            warning={missing}
            error={violationOf(violations, 'organization')}
          >
            <OrganizationInput
              disabled={everyone}
              value={organization}
              onChange={setOrganization}
            />
          </Field>
          <Checkbox
            label="For webhooks of every organization"
            checked={everyone}
            onChange={(event) => setEveryone(event.target.checked)}
          />
          <Checkbox
            label="Also for webhooks at these addresses that name no authentication"
            checked={automatic}
            onChange={(event) => setAutomatic(event.target.checked)}
          />
        </>
      )}
    </FormDialog>
  );
}
