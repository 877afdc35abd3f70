import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import { AgentCard } from '../../protocol/a2a.js';
import { PROTOCOL_VERSIONS } from '../../protocol/protocol-version.js';
import {
  CARD_TROUBLES,
  type CardSignature,
  type CardTrouble,
  KEY_SOURCES,
  type SignatureOutcome,
} from '../agent.js';
import { BINDING_NAMES } from '../binding/bindings.js';
import type { RequiredSecurity } from '../card/required-security.js';
import { CARD_CHANGES, type CardChange } from '../card/card-diff.js';
import type { AgentCards } from '../registration/agents.service.js';

export class AgentEndpointDto {
  @Shown.Text()
  readonly url!: string;

  @Shown.Choice(BINDING_NAMES)
  readonly protocolBinding!: string;

  @Shown.Choice(PROTOCOL_VERSIONS)
  readonly protocolVersion!: string;

  @Shown.Text({ description: 'Empty when the interface names none.' })
  readonly tenant!: string;
}

const OUTCOMES: readonly SignatureOutcome[] = [
  'verified',
  'unsigned',
  'unverified',
  'invalid',
  'unchecked',
];

export class CardSignatureDto implements CardSignature {
  @Shown.Choice(OUTCOMES, {
    description:
      'unverified: no trusted key for it is known; invalid: a trusted key is known and the signature does not match the card; unchecked: agents.cardSignatures is off.',
  })
  readonly outcome!: SignatureOutcome;

  @Shown.Text({ nullable: true })
  readonly keyId!: string | null;

  @Shown.Text({ nullable: true, example: 'ES256' })
  readonly algorithm!: string | null;

  @Shown.Choice(KEY_SOURCES, {
    nullable: true,
    description: "Whose key: pinned for the agent, trusted for the origin, or the origin's own.",
  })
  readonly keySource!: CardSignature['keySource'];

  @Shown.Text({ nullable: true, description: 'RFC 7638, of the key itself.' })
  readonly keyThumbprint!: string | null;

  @Shown.Flag({
    description: 'This card or an earlier one was verified: only a verified card can replace it.',
  })
  readonly wasVerified!: boolean;

  @Shown.Text()
  readonly reason!: string;
}

export class RequiredSecurityDto implements RequiredSecurity {
  @Shown.Text({ list: true, description: 'As the card names them.', example: ['oauth'] })
  readonly schemes!: readonly string[];

  @Shown.Flag({ description: 'Whether the hub sends all of it.' })
  readonly isMet!: boolean;

  @Shown.Text({
    list: true,
    description: 'What the hub does not send, with what sets it.',
    example: [
      'an OAuth 2.0 access token of https://login.example/token with the scope read: set authentication',
    ],
  })
  readonly missing!: readonly string[];
}

export class CardTroubleDto {
  @Shown.Choice(CARD_TROUBLES, {
    description:
      'refused: the refreshed card was rejected, the previous one stays in use; unusable: the stored card cannot be used, the agent gets no work and is in no card of the hub; adjusted: the card is in use with corrections; unread: the card of a declared agent could not be read yet, the agent gets no work and the hub retries.',
  })
  readonly kind!: CardTrouble['kind'];

  @Shown.Text()
  readonly reason!: string;

  @Shown.Time()
  readonly since!: string;

  constructor({ kind, reason, since }: CardTrouble) {
    fill<CardTroubleDto>(this, { kind, reason, since });
  }
}

export class AgentInterfaceDto {
  @Shown.Text()
  readonly url!: string;

  @Shown.Text()
  readonly protocolBinding!: string;

  @Shown.Text()
  readonly protocolVersion!: string;

  @Shown.Flag({ description: 'Whether this is the interface that the hub calls.' })
  readonly chosen!: boolean;

  @Shown.Text()
  readonly reason!: string;
}

export class CardChangeDto {
  @Shown.Text({ example: 'skills[profile].tags' })
  readonly field!: string;

  @Shown.Choice(CARD_CHANGES)
  readonly change!: CardChange['change'];

  @Shown.Other({}, { optional: true, description: 'Absent when added.' })
  readonly before?: unknown;

  @Shown.Other({}, { optional: true, description: 'Absent when removed.' })
  readonly after?: unknown;
}

/** The card of an agent as the hub uses it, and the one before. */
export class AgentCardsDto {
  @Shown.Text()
  readonly agentId!: string;

  @Shown.Json({ description: 'The card in use, in the 1.0 form.' })
  readonly current!: unknown;

  @Shown.Time({
    description:
      'Since when it says what it says; when the agent was registered, if it has not changed.',
  })
  readonly changedAt!: string;

  @Shown.Json({
    nullable: true,
    description: 'The card before, in the 1.0 form; null: it has not changed.',
  })
  readonly previous!: unknown;

  @Shown.Time({ nullable: true })
  readonly previousReplacedAt!: string | null;

  @Shown.Nested(() => CardChangeDto, {
    list: true,
    description: 'What is different in the card in use from the one before.',
  })
  readonly changes!: readonly CardChangeDto[];

  constructor({ agent, previous, changes }: AgentCards) {
    const replacedAt = previous?.replacedAt.toISOString() ?? null;
    fill<AgentCardsDto>(this, {
      agentId: agent.id,
      current: AgentCard.toJSON(agent.card),
      changedAt: replacedAt ?? agent.createdAt.toISOString(),
      previous: previous && AgentCard.toJSON(previous.card),
      previousReplacedAt: replacedAt,
      changes,
    });
  }
}
