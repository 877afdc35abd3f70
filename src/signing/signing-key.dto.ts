import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { KEY_STATES, type KeyState } from './domain/key-schedule.js';
import type { ListedKey } from './signing.service.js';

export class RotateSigningKeyDto {
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description:
      'True: the new key is published now and signs after signing.overlap. False: it signs at once.',
  })
  @IsBoolean()
  publishFirst: boolean = false;
}

/** A key the hub signs with, without its private part. */
export class SigningKeyDto {
  @ApiProperty({ type: String })
  readonly kid: string;

  @ApiProperty({ type: String, example: 'ES256' })
  readonly alg: string;

  @ApiProperty({ enum: KEY_STATES })
  readonly state: KeyState;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it starts to sign.' })
  readonly signsFrom: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly revokedAt: string | null;

  constructor({ publicKey, state, createdAt, signsFrom, revokedAt }: ListedKey) {
    this.kid = publicKey.kid;
    this.alg = publicKey.alg;
    this.state = state;
    this.createdAt = createdAt.toISOString();
    this.signsFrom = signsFrom.toISOString();
    this.revokedAt = revokedAt?.toISOString() ?? null;
  }
}

export class SigningKeyPageDto {
  @ApiProperty({ type: [SigningKeyDto] })
  readonly items!: readonly SigningKeyDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Always null: the list is whole.' })
  readonly nextCursor!: string | null;
}
