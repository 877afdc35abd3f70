import { IntersectionType } from '@nestjs/swagger';
import { Choice, Int, Nested, Shown, Text, Time } from '../common/http/fields.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { PageType } from '../common/http/page-type.js';
import { fill } from '../common/http/view.js';
import { AUDIT_OUTCOMES, type AuditDetails, type AuditOutcome } from './audit-entry.js';
import type { AuditFilter } from './audit-store.js';
import type { KeptAnchor, Verification } from './audit-verifier.js';
import type { Anchor } from './domain/anchor.js';
import type { AuditEvent } from './domain/audit-event.js';
import { BREAKS, type Break, type BrokenPlace } from './domain/broken-place.js';

/** The longest text that an entry can have. */
const MAX = 200;

/** Of actions and types there is no list here: each route of the admin API has its own. */
const ACTION = {
  pattern: /^[a-z][a-z-]*(\.[a-z][a-z-]*)+$/,
  rule: 'must be a resource and what is done to it, such as keys.revoke or tasks.end',
};
const RESOURCE_TYPE = {
  pattern: /^[a-z][a-z-]*(\.[a-z][a-z-]*)*$/,
  rule: 'must be the name of a resource, such as keys or push.subscriptions',
};

/** What people know a principal as. */
export class PrincipalNameDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Text({ example: 'Billing service' })
  readonly name!: string;
}

/** Which entries are meant. */
export class AuditFilterDto {
  @Time({ optional: true, description: 'Written at or after this time.' })
  from?: string;

  @Time({ optional: true, description: 'Written before this time.' })
  to?: string;

  @Text({ optional: true, min: 1, max: MAX, description: 'Who did it, by its principal id.' })
  principal?: string;

  @Text({ optional: true, min: 1, max: MAX, description: 'The organization of the principal.' })
  organization?: string;

  @Text({
    optional: true,
    min: 1,
    max: MAX,
    description: 'In whose name somebody else did it, by the principal id.',
  })
  onBehalfOf?: string;

  @Text({ optional: true, max: MAX, example: 'keys.revoke', like: ACTION })
  action?: string;

  @Choice(AUDIT_OUTCOMES, { optional: true })
  outcome?: AuditOutcome;

  @Text({ optional: true, max: MAX, example: 'agents', like: RESOURCE_TYPE })
  resourceType?: string;

  @Text({ optional: true, min: 1, max: MAX, description: 'The id of the agent, key, task …' })
  resourceId?: string;

  @Text({ optional: true, min: 1, max: MAX, description: 'The `x-request-id` of a call.' })
  requestId?: string;
}

export class AuditQueryDto extends IntersectionType(PageQueryDto, AuditFilterDto) {}

export function filterOf({ from, to, ...equal }: AuditFilterDto): AuditFilter {
  return {
    ...equal,
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
  };
}

/** An entry, with all that its hash is made of. */
export class AuditEventDto {
  @Shown.Text({ example: '0199f1c2-8d11-7b52-9c3e-4a5b6c7d8e9f' })
  readonly id!: string;

  @Shown.Text({ description: 'The chain it is in: each process writes one of its own.' })
  readonly chain!: string;

  @Shown.Num({ description: 'Its number in the chain: 1, 2, 3 …' })
  readonly seq!: number;

  @Shown.Time({ description: 'When it was written.' })
  readonly at!: string;

  @Shown.Text({ description: 'The resource and the operation.', example: 'keys.revoke' })
  readonly action!: string;

  @Shown.Choice(AUDIT_OUTCOMES, {
    description:
      'attempted: it was about to be done; the entry with its result names this one as details.attempt. refused: the caller was not admitted, lacks the right or has reached a limit.',
  })
  readonly outcome!: AuditOutcome;

  @Shown.Text({ nullable: true, description: 'Who did it; null: the hub itself, or unknown.' })
  readonly principal!: string | null;

  @Shown.Text({ nullable: true, description: 'The organization of the principal.' })
  readonly organization!: string | null;

  @Shown.Text({
    nullable: true,
    description:
      'The principal in whose name somebody else called: another hub, or the actors (`act`) of its token; null when it called itself.',
  })
  readonly onBehalfOf!: string | null;

  @Shown.Text({ nullable: true, description: 'Who signed the token it came with.' })
  readonly issuer!: string | null;

  @Shown.Text({
    nullable: true,
    description: 'The id of its key or sign-in; null for the configured admin key.',
  })
  readonly credential!: string | null;

  @Shown.Text({ nullable: true, example: 'keys' })
  readonly resourceType!: string | null;

  @Shown.Text({ nullable: true })
  readonly resourceId!: string | null;

  @Shown.Text({ nullable: true, description: 'The `x-request-id` of the call.' })
  readonly requestId!: string | null;

  @Shown.Text({ nullable: true, description: 'The policy that decided.' })
  readonly policy!: string | null;

  @Shown.Json({ description: 'Further facts; docs/audit.md lists them.' })
  readonly details!: AuditDetails;

  @Shown.Text({ description: 'The hash of the entry before it in its chain; empty for the first.' })
  readonly previousHash!: string;

  @Shown.Text({
    description: 'SHA-256 of all other members as canonical JSON (RFC 8785), in hexadecimal.',
  })
  readonly hash!: string;

  constructor(event: AuditEvent) {
    fill<AuditEventDto>(this, event);
  }
}

/** A page of entries. Names are no part of entries, whose hashes are made of all that they have. */
export class AuditPageDto extends PageType(AuditEventDto) {
  @Shown.Nested(() => PrincipalNameDto, {
    list: true,
    description:
      'The names of the principals of these entries as they are now: the display name; else, of one whose id the hub has made, the name of its oldest valid key. Those without either are left out.',
  })
  readonly names!: readonly PrincipalNameDto[];
}

/** An anchor that was kept outside of the hub. */
export class KeptAnchorDto implements KeptAnchor {
  @Int({ min: 1, max: Number.MAX_SAFE_INTEGER })
  number!: number;

  @Text({ like: { pattern: /^[0-9a-f]{64}$/, rule: 'must be 64 hexadecimal digits' } })
  hash!: string;
}

export class VerifyAuditDto {
  @Nested(() => KeptAnchorDto, {
    optional: true,
    description:
      'An anchor you kept, from an earlier verification or the log of the hub: it must still be there.',
  })
  anchor?: KeptAnchorDto;
}

export class BrokenPlaceDto {
  @Shown.Choice(BREAKS, { description: 'docs/audit.md says what each means.' })
  readonly what!: Break;

  @Shown.Text({ nullable: true, description: 'Null when it is the anchors.' })
  readonly chain!: string | null;

  @Shown.Num({ nullable: true, description: 'The number of the entry in its chain.' })
  readonly seq!: number | null;

  @Shown.Num({ nullable: true, description: 'The number of the anchor.' })
  readonly anchor!: number | null;

  constructor(place: BrokenPlace) {
    fill<BrokenPlaceDto>(this, place);
  }
}

/** A signed statement about a chain. */
export class AnchorDto {
  @Shown.Num()
  readonly number!: number;

  @Shown.Time()
  readonly at!: string;

  @Shown.Text({ description: 'Keep it with the number: a later verification can ask for it.' })
  readonly hash!: string;

  @Shown.Text({ description: 'The key of the hub that signed it.' })
  readonly kid!: string;

  constructor(anchor: Anchor) {
    fill<AnchorDto>(this, anchor);
  }
}

export class VerificationDto {
  @Shown.Flag({ description: 'Nothing was changed, added or removed, as far as it was signed.' })
  readonly valid!: boolean;

  @Shown.Num()
  readonly chains!: number;

  @Shown.Num()
  readonly entries!: number;

  @Shown.Num({ description: 'Entries at the ends of chains that are not signed yet.' })
  readonly unsigned!: number;

  @Shown.Num()
  readonly anchors!: number;

  @Shown.Nested(() => AnchorDto, { nullable: true })
  readonly newestAnchor!: AnchorDto | null;

  @Shown.Nested(() => BrokenPlaceDto, {
    list: true,
    description: 'The first broken place of the anchors and of each chain, 20 at most.',
  })
  readonly broken!: readonly BrokenPlaceDto[];

  constructor(found: Verification) {
    fill<VerificationDto>(this, {
      ...found,
      newestAnchor: found.newestAnchor && new AnchorDto(found.newestAnchor),
      broken: found.broken.map((place) => new BrokenPlaceDto(place)),
    });
  }
}
