import { BINDING_NAMES } from '../binding/bindings.js';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { CardSignature, CardTrouble, SignatureOutcome } from '../agent.js';

export class AgentEndpointDto {
  @ApiProperty({ type: String })
  readonly url!: string;

  @ApiProperty({ enum: BINDING_NAMES })
  readonly protocolBinding!: string;

  @ApiProperty({ enum: ['1.0', '0.3'] })
  readonly protocolVersion!: string;

  @ApiProperty({ type: String, description: 'Empty when the interface names none.' })
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
  @ApiProperty({
    enum: OUTCOMES,
    description:
      'unverified: no trusted key for it is known; invalid: a trusted key is known and the signature does not match the card; unchecked: agents.cardSignatures is off.',
  })
  readonly outcome!: SignatureOutcome;

  @ApiProperty({ type: String, nullable: true })
  readonly keyId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ES256' })
  readonly algorithm!: string | null;

  @ApiProperty({
    enum: ['agent', 'origin', 'card'],
    nullable: true,
    description: "Whose key: pinned for the agent, trusted for the origin, or the origin's own.",
  })
  readonly keySource!: CardSignature['keySource'];

  @ApiProperty({ type: String, nullable: true, description: 'RFC 7638, of the key itself.' })
  readonly keyThumbprint!: string | null;

  @ApiProperty({
    type: Boolean,
    description: 'This card or an earlier one was verified: only a verified card can replace it.',
  })
  readonly wasVerified!: boolean;

  @ApiProperty({ type: String })
  readonly reason!: string;
}

export class CardTroubleDto {
  @ApiProperty({
    enum: ['refused', 'unusable', 'adjusted', 'unread'],
    description:
      'refused: the refreshed card was rejected, the previous one stays in use; unusable: the stored card cannot be used, the agent gets no work and is in no card of the hub; adjusted: the card is in use with corrections; unread: the card of a declared agent could not be read yet, the agent gets no work and the hub retries.',
  })
  readonly kind: CardTrouble['kind'];

  @ApiProperty({ type: String })
  readonly reason: string;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly since: string;

  constructor({ kind, reason, since }: CardTrouble) {
    this.kind = kind;
    this.reason = reason;
    this.since = since.toISOString();
  }
}

export class AgentInterfaceDto {
  @ApiProperty({ type: String })
  readonly url!: string;

  @ApiProperty({ type: String })
  readonly protocolBinding!: string;

  @ApiProperty({ type: String })
  readonly protocolVersion!: string;

  @ApiProperty({ type: Boolean, description: 'Whether this is the interface that the hub calls.' })
  readonly chosen!: boolean;

  @ApiProperty({ type: String })
  readonly reason!: string;
}

export class CardChangeDto {
  @ApiProperty({ type: String, example: 'skills[profile].tags' })
  readonly field!: string;

  @ApiProperty({ enum: ['added', 'removed', 'changed'] })
  readonly change!: 'added' | 'removed' | 'changed';

  @ApiPropertyOptional({ description: 'Absent when added.' })
  readonly before?: unknown;

  @ApiPropertyOptional({ description: 'Absent when removed.' })
  readonly after?: unknown;
}
