import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import type { Verification } from '../receivers/receiver-gate.js';

/** Whether a receiver agrees to be called. */
export class ReceiverVerificationDto {
  @Shown.Flag()
  readonly verified!: boolean;

  @Shown.Choice(['challenge', 'list'], {
    nullable: true,
    description:
      '`challenge`: it agreed to the challenge. `list`: the operator trusts its host (push.trustedHosts).',
  })
  readonly by!: 'challenge' | 'list' | null;

  @Shown.Time({ nullable: true })
  readonly at!: string | null;

  constructor({ by, at }: Verification) {
    fill<ReceiverVerificationDto>(this, { verified: by !== null, by, at });
  }
}
