import { Shown } from '../common/http/fields.js';
import { fill } from '../common/http/view.js';
import { holds, type Scope, SCOPES } from '../common/scope.js';
import { ANONYMOUS_PRINCIPAL, type Principal } from './principal.js';
import type { PrincipalRecord } from './principal-store.js';

const CREDENTIALS = ['key', 'admin-key', 'token', 'session', 'certificate', 'hub', 'none'] as const;
type CredentialKind = (typeof CREDENTIALS)[number];

/** By what a caller is known. */
export class OwnCredentialDto {
  @Shown.Choice(CREDENTIALS, {
    description:
      '`key`: an API key; `admin-key`: that of the configuration; `token`: an access token; `session`: a sign-in at the console; `certificate`: a client certificate; `hub`: another hub calls in its name; `none`: auth.mode is none.',
  })
  readonly kind!: CredentialKind;

  @Shown.Text({ nullable: true, description: 'The id of the API key.' })
  readonly keyId!: string | null;

  @Shown.Text({ nullable: true, description: 'The name of the API key.', example: 'billing' })
  readonly keyName!: string | null;

  @Shown.Text({
    nullable: true,
    description: 'Who vouches for it: the issuer of the token, the entry of the certificate.',
    example: 'https://login.example/realms/acme',
  })
  readonly issuer!: string | null;

  @Shown.Time({
    nullable: true,
    description: 'When it ends; null: it does not, or it does not say.',
  })
  readonly expiresAt!: string | null;

  constructor(caller: Principal) {
    const { keyId = null, keyName = null, issuer = null, session, expiresAt } = caller;
    fill<OwnCredentialDto>(this, {
      ...{ kind: kindOf(caller), keyId, keyName, issuer },
      expiresAt: session?.expiresAt ?? expiresAt ?? null,
    });
  }
}

/** Of a caller that the hub has no record of. */
const WITHOUT_NAME = { displayName: null, name: null };

/** Who a caller is for the hub, and what it may do. */
export class OwnAccessDto {
  @Shown.Text({ example: '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f' })
  readonly id!: string;

  @Shown.Text({ nullable: true, example: 'Billing service' })
  readonly displayName!: string | null;

  @Shown.Text({
    nullable: true,
    description:
      'What people know it as: the display name; else, of one whose id the hub has made, the name of its oldest valid key; null without either.',
    example: 'Billing service',
  })
  readonly name!: string | null;

  @Shown.Text({ example: 'acme' })
  readonly organization!: string;

  @Shown.Choice(SCOPES, {
    list: true,
    description: 'All that it may do: with the scopes that others of its own hold.',
  })
  readonly scopes!: readonly Scope[];

  @Shown.Text({
    list: true,
    description: "The groups it is in: the hub's own, and those its issuer says.",
    example: ['finance'],
  })
  readonly groups!: readonly string[];

  @Shown.Nested(() => OwnCredentialDto)
  readonly credential!: OwnCredentialDto;

  constructor(
    caller: Principal,
    { displayName, name }: Pick<PrincipalRecord, 'displayName' | 'name'> = WITHOUT_NAME,
  ) {
    const { id, organization, groups = [] } = caller;
    const scopes = SCOPES.filter((scope) => holds(caller.scopes, scope));
    const credential = new OwnCredentialDto(caller);
    fill<OwnAccessDto>(this, { id, displayName, name, organization, scopes, groups, credential });
  }
}

function kindOf(caller: Principal): CredentialKind {
  const { id, keyId, session, token, isCertified, chain } = caller;
  if (chain?.hub !== undefined) return 'hub';
  if (keyId !== undefined) return 'key';
  if (session !== undefined) return 'session';
  if (token !== undefined) return 'token';
  if (isCertified === true) return 'certificate';
  return id === ANONYMOUS_PRINCIPAL ? 'none' : 'admin-key';
}
