import type { Schema } from '../../../api/client';
import { type FieldViolation } from '../../../api/problem';
import { Field, Select, TextArea, TextInput, violationOf } from '../../../ui/field';
import { listOf } from '../../../ui/lists';

const SCHEMES = ['Bearer', 'Basic', 'ApiKey', 'HMAC', 'JWT', 'Profile'] as const;

const HINTS: Readonly<Record<string, string>> = {
  Bearer: 'The token of the receiver; empty: one that the hub signs.',
  Basic: 'user:password',
  ApiKey: 'A value for X-API-Key, or Header-Name: value.',
  HMAC: 'whsec_…, several between spaces.',
  Profile: 'The name of an auth profile.',
};

/** Leaves a secret as it is. */
const KEEP = 'keep';
const NONE = 'none';

/** What is typed of the secrets of a webhook. */
export interface SecretsDraft {
  readonly scheme: string;
  readonly credentials: string;
  readonly tokenMode: string;
  readonly token: string;
  readonly keysMode: string;
  readonly keys: string;
}

/** `keep`: what is stored stays, where nothing else is chosen. */
export function emptySecrets(keep: boolean): SecretsDraft {
  const mode = keep ? KEEP : NONE;
  return { scheme: mode, credentials: '', tokenMode: mode, token: '', keysMode: mode, keys: '' };
}

/** The members of a request: what is kept is left out, what is taken away is null. */
export function secretsOf(
  draft: SecretsDraft,
  isNew: boolean,
): Pick<Schema<'RotateWebhookDto'>, 'authentication' | 'token' | 'signingKeys'> {
  const taken = isNew ? undefined : null;
  return {
    ...(draft.scheme !== KEEP && {
      authentication:
        draft.scheme === NONE
          ? taken
          : {
              scheme: draft.scheme,
              ...(draft.credentials !== '' && { credentials: draft.credentials }),
            },
    }),
    ...(draft.tokenMode !== KEEP && { token: draft.tokenMode === NONE ? taken : draft.token }),
    ...(draft.keysMode !== KEEP && {
      signingKeys: draft.keysMode === NONE ? taken : listOf(draft.keys),
    }),
  };
}

/** How requests prove who sends them. What is stored is never shown. */
export function SecretsFields({
  draft,
  onChange,
  keep,
  violations,
}: {
  readonly draft: SecretsDraft;
  readonly onChange: (draft: SecretsDraft) => void;
  /** Whether there may be stored ones that can stay. */
  readonly keep: boolean;
  readonly violations: readonly FieldViolation[];
}) {
  const set = (change: Partial<SecretsDraft>) => onChange({ ...draft, ...change });
  const modes = [
    ...(keep ? [{ value: KEEP, label: 'Leave as it is' }] : []),
    { value: NONE, label: 'None' },
  ];
  const hint = HINTS[draft.scheme];
  return (
    <fieldset className="webhooks-secrets">
      <legend>How the receiver knows that the hub sends</legend>
      <div className="webhooks-pair">
        <Field
          label="Authentication"
          error={
            violations.some(({ field }) => field === 'authentication.credentials')
              ? undefined
              : violationOf(violations, 'authentication')
          }
        >
          <Select
            value={draft.scheme}
            onChange={(event) => set({ scheme: event.target.value })}
            options={[...modes, ...SCHEMES.map((value) => ({ value, label: value }))]}
          />
        </Field>
        {hint !== undefined && (
          <Field
            label="Credentials"
            hint={hint}
            error={violationOf(violations, 'authentication.credentials')}
          >
            <TextInput
              value={draft.credentials}
              onChange={(event) => set({ credentials: event.target.value })}
            />
          </Field>
        )}
      </div>
      <div className="webhooks-pair">
        <Field label="Signing keys">
          <Select
            value={draft.keysMode}
            onChange={(event) => set({ keysMode: event.target.value })}
            options={[...modes, { value: 'set', label: 'Sign with …' }]}
          />
        </Field>
        {draft.keysMode === 'set' && (
          <Field
            label="Keys"
            hint="whsec_… or whsk_… (Standard Webhooks), one in each line."
            error={violationOf(violations, 'signingKeys')}
          >
            <TextArea
              rows={2}
              value={draft.keys}
              onChange={(event) => set({ keys: event.target.value })}
            />
          </Field>
        )}
      </div>
      <div className="webhooks-pair">
        <Field label="Notification token">
          <Select
            value={draft.tokenMode}
            onChange={(event) => set({ tokenMode: event.target.value })}
            options={[...modes, { value: 'set', label: 'Send …' }]}
          />
        </Field>
        {draft.tokenMode === 'set' && (
          <Field
            label="Token"
            hint="Sent as A2A-Notification-Token."
            error={violationOf(violations, 'token')}
          >
            <TextInput
              value={draft.token}
              onChange={(event) => set({ token: event.target.value })}
            />
          </Field>
        )}
      </div>
    </fieldset>
  );
}
