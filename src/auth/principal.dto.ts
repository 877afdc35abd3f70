import { Choice, Shown, Text } from '../common/http/fields.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { ID, NAME, ORGANIZATION_ID } from '../common/http/text-forms.js';
import { fill } from '../common/http/view.js';
import { type Hold, HOLDS } from './domain/hold.js';
import type { IdentityRecord } from './identity-store.js';
import { PRINCIPAL_STATES, type PrincipalRecord, type PrincipalState } from './principal-store.js';

export class PrincipalQueryDto extends PageQueryDto {
  @Text({ optional: true, like: NAME, example: 'acme' })
  organization?: string;

  @Choice(PRINCIPAL_STATES, { optional: true })
  state?: PrincipalState;

  @Text({
    optional: true,
    min: 1,
    max: 255,
    description: 'The subject that its issuer knows it as.',
  })
  subject?: string;

  @Text({ optional: true, like: NAME, description: "One of the hub's own groups." })
  group?: string;

  @Text({
    optional: true,
    min: 1,
    max: 200,
    description:
      'Part of the id, of the name, of the subject or of the name of its oldest valid key; a to z in either case. A page of such a search may have few principals, or none, and be followed by others.',
  })
  text?: string;
}

const GROUPS = {
  like: NAME,
  list: { max: 50, unique: true },
  example: 'finance',
  description:
    'Groups of the hub itself, which policies know as Group::"NAME", beside those that an issuer says. They need the scope access.',
} as const;

export class ChangePrincipalDto {
  @Text({ optional: true, nullable: true, like: NAME, example: 'Billing service' })
  displayName?: string | null;

  @Text({ ...GROUPS, optional: true })
  groups?: string[];
}

export class CreatePrincipalDto extends ChangePrincipalDto {
  @Text({
    optional: true,
    like: ID,
    description: 'Default: a new one. To choose one needs the scope access.',
    example: 'billing',
  })
  id?: string;

  @Text({
    optional: true,
    like: ORGANIZATION_ID,
    example: 'acme',
    description: 'Default: `default`; for callers with access:organization alone, their own.',
  })
  organization?: string;
}

/** The subject by which an issuer knows a principal. */
export class IdentityDto {
  @Shown.Text({ example: 'https://login.example/realms/acme' })
  readonly issuer!: string;

  @Shown.Text({ example: 'f3b1c2d4' })
  readonly subject!: string;

  @Shown.Time({ description: 'Accurate to about a minute.' })
  readonly lastSeenAt!: string;

  constructor(record: IdentityRecord) {
    fill<IdentityDto>(this, record);
  }
}

export class PrincipalDto {
  @Shown.Text({ example: '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f' })
  readonly id!: string;

  @Shown.Text({ example: 'acme' })
  readonly organization!: string;

  @Shown.Text({ nullable: true, example: 'Billing service' })
  readonly displayName!: string | null;

  @Shown.Text({ list: true, description: "The hub's own groups it is in.", example: ['finance'] })
  readonly groups!: readonly string[];

  @Shown.Choice(PRINCIPAL_STATES, {
    description:
      '`disabled`: it, or its organization. `keyless`: enabled, but without a valid key, and without a sign-in within auth.signInGrace.',
  })
  readonly state!: PrincipalState;

  @Shown.Num({ description: 'Its keys that are not revoked.', example: 1 })
  readonly validKeys!: number;

  @Shown.Flag({
    description:
      'A valid key or sign-in of it has the scope `a2a`, without which it can call no agent.',
  })
  readonly holdsA2a!: boolean;

  @Shown.Nested(() => IdentityDto, {
    nullable: true,
    description: 'The subject by which an issuer of access tokens knows it; null with keys only.',
  })
  readonly identity!: IdentityDto | null;

  @Shown.Flag({ description: 'The configuration admits this principal without such a key.' })
  readonly builtIn!: boolean;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time({ nullable: true })
  readonly disabledAt!: string | null;

  @Shown.Flag({
    description:
      'An operator of all organizations has disabled it, and only such a one enables it.',
  })
  readonly disabledByOperator!: boolean;

  @Shown.Time({ nullable: true, description: 'Since when its organization is disabled.' })
  readonly organizationDisabledAt!: string | null;

  @Shown.Time({ nullable: true, description: 'Since when it has no valid key or sign-in.' })
  readonly keylessSince!: string | null;

  @Shown.Choice(HOLDS, {
    nullable: true,
    description:
      'Why nothing is delivered for it at this moment: all webhooks and subscriptions while it or its organization is disabled, subscriptions when it has had no valid key or sign-in for auth.keylessGrace. Each webhook shows its own reason as `held`.',
    example: null,
  })
  readonly pushHeld!: Hold | null;

  @Shown.Text({
    nullable: true,
    description:
      'What people know it as: the display name; else, of one whose id the hub has made, the name of its oldest valid key; null without either.',
    example: 'Billing service',
  })
  readonly name!: string | null;

  constructor(record: PrincipalRecord, pushHeld: Hold | null) {
    const identity = record.identity && new IdentityDto(record.identity);
    fill<PrincipalDto>(this, { ...record, identity, state: stateOf(record), pushHeld });
  }
}

function stateOf({ status, keylessSince }: PrincipalRecord): PrincipalState {
  if (status.disabledAt !== null) return 'disabled';
  return keylessSince === null ? 'active' : 'keyless';
}
