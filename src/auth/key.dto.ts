import { nameOf, PRINCIPAL_NAME } from '../audit/index.js';
import { Matches } from 'class-validator';
import { Choice, Int, Shown, Text, Time } from '../common/http/fields.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { NAME, ORGANIZATION_ID } from '../common/http/text-forms.js';
import { fill } from '../common/http/view.js';
import { SCOPES, type Scope } from '../common/scope.js';
import type { ApiKey } from './api-key-store.js';

/** A time that means the same everywhere; of what begins with no date another rule speaks. */
const ZONED = /^(?!\d{4}-)|T.*(Z|[+-]\d\d:\d\d)$/;
const ZONED_RULE = '$property must be a time with its zone: 2027-01-31T12:00:00Z';

const NETWORKS = {
  list: { max: 64, unique: true },
  max: 64,
  example: '10.20.0.0/16',
  description:
    'Addresses and CIDR blocks that calls with this key may come from, behind proxies of server.trustedProxies by X-Forwarded-For. None: every address.',
} as const;
const ORIGINS = {
  list: { max: 64, unique: true },
  max: 300,
  example: 'https://app.example.com',
  description:
    'Origins of web pages: every call with this key must have one of them in its header Origin. None: calls from everywhere. server.corsOrigins must have them, too.',
} as const;

export class CreateKeyDto {
  @Text({ like: NAME, example: 'billing service' })
  name!: string;

  @Text({
    optional: 'or-null',
    like: ORGANIZATION_ID,
    description: 'Default: `default`; for callers with access:organization alone, their own.',
  })
  organization?: string | null;

  @Choice(SCOPES, { optional: true, list: { min: 1 }, default: ['a2a'] })
  scopes: Scope[] = ['a2a'];

  @Text({
    optional: 'or-null',
    like: NAME,
    description: 'An existing principal that gets this key.',
  })
  principal?: string | null;

  @Time({
    optional: 'or-null',
    description: 'When the key expires. Default: it is valid until it is revoked.',
  })
  @Matches(ZONED, { message: ZONED_RULE })
  expiresAt?: string | null;

  @Text({ ...NETWORKS, optional: 'or-null' })
  allowedNetworks?: string[] | null;

  @Text({ ...ORIGINS, optional: 'or-null' })
  allowedOrigins?: string[] | null;
}

export class KeyQueryDto extends PageQueryDto {
  @Text({ optional: true, like: NAME, description: 'The principal whose keys are listed.' })
  principal?: string;
}

export class ChangeKeyDto {
  @Text({ optional: true, like: NAME, example: 'billing service' })
  name?: string;

  @Time({
    optional: true,
    nullable: true,
    description:
      'When the key expires; null: when it is revoked. A key with the scope admin can only be given an earlier time.',
  })
  @Matches(ZONED, { message: ZONED_RULE })
  expiresAt?: string | null;

  @Text({ ...NETWORKS, optional: true })
  allowedNetworks?: string[];

  @Text({ ...ORIGINS, optional: true })
  allowedOrigins?: string[];
}

export class RotateKeyDto {
  @Int({
    optional: true,
    min: 0,
    max: 30 * 24 * 3600,
    default: 3600,
    description: 'How many seconds the replaced key stays valid.',
  })
  overlapSeconds = 3600;

  @Time({
    optional: 'or-null',
    description:
      'When the new key expires. Default: when the replaced one would have; to be given where a key that had taken its place has expired.',
  })
  @Matches(ZONED, { message: ZONED_RULE })
  expiresAt?: string | null;
}

/** A key as it is listed. */
export class KeyDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Text()
  readonly principalId!: string;

  @Shown.Text(PRINCIPAL_NAME)
  readonly principalName!: string | null;

  @Shown.Text()
  readonly name!: string;

  @Shown.Text()
  readonly organization!: string;

  @Shown.Choice(SCOPES, { list: true })
  readonly scopes!: readonly Scope[];

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time({ nullable: true })
  readonly revokedAt!: string | null;

  @Shown.Time({ nullable: true })
  readonly expiresAt!: string | null;

  @Shown.Time({
    nullable: true,
    description: 'Accurate to about a minute; null for an unused key.',
  })
  readonly lastUsedAt!: string | null;

  @Shown.Text({ list: true, example: ['10.20.0.0/16'] })
  readonly allowedNetworks!: readonly string[];

  @Shown.Text({ list: true, example: ['https://app.example.com'] })
  readonly allowedOrigins!: readonly string[];

  @Shown.Text({ nullable: true, description: 'The key that took its place when it was rotated.' })
  readonly replacedBy!: string | null;

  constructor(record: ApiKey, names: ReadonlyMap<string, string>) {
    fill<KeyDto>(this, { principalName: nameOf(names, record.principalId), ...record });
  }
}

/** A key that was just made. */
export class CreatedKeyDto extends KeyDto {
  @Shown.Text({ description: 'The key itself; it is shown only once.' })
  readonly key: string;

  constructor(record: ApiKey, names: ReadonlyMap<string, string>, key: string) {
    super(record, names);
    this.key = key;
  }
}
