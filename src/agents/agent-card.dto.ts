import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { CardSignature, CardTrouble, SignatureOutcome } from './agent.js';

export class AgentEndpointDto {
  @ApiProperty({ type: String })
  readonly url!: string;

  @ApiProperty({ enum: ['JSONRPC', 'HTTP+JSON', 'GRPC'] })
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
      'unverified: there is no trusted key for it; invalid: there is, and it does not match the card; unchecked: agents.cardSignatures is off.',
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
    description: 'The card, or one before it, has verified: only a verified one takes its place.',
  })
  readonly wasVerified!: boolean;

  @ApiProperty({ type: String })
  readonly reason!: string;
}

export class CardTroubleDto {
  @ApiProperty({
    enum: ['refused', 'unusable', 'adjusted', 'unread'],
    description:
      'refused: the card was read again and is not taken, the one before stays in use; unusable: what is stored cannot be used, the agent gets no work and is in no card of the hub; adjusted: the card is in use, but not all of it as it is written; unread: a declared agent of which no card could be read yet, it gets no work and is tried again.',
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

  @ApiProperty({ type: Boolean, description: 'Whether this is the one the hub calls.' })
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
