import { ApiProperty } from '@nestjs/swagger';
import type { Verification } from '../receivers/receiver-gate.js';

/** Whether a receiver agrees to be called. */
export class VerificationDto {
  @ApiProperty({ type: Boolean })
  readonly verified: boolean;

  @ApiProperty({
    enum: ['challenge', 'list'],
    nullable: true,
    description:
      '`challenge`: it agreed to the challenge. `list`: the operator trusts its host (push.trustedHosts).',
  })
  readonly by: 'challenge' | 'list' | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly at: string | null;

  constructor({ by, at }: Verification) {
    this.verified = by !== null;
    this.by = by;
    this.at = at?.toISOString() ?? null;
  }
}
