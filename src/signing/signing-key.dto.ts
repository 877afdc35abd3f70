import { Flag, Shown } from '../common/http/fields.js';
import { fill } from '../common/http/view.js';
import { KEY_STATES, type KeyState } from './domain/key-schedule.js';
import type { ListedKey } from './signing.service.js';

export class RotateSigningKeyDto {
  @Flag({
    optional: true,
    default: false,
    description:
      'True: the new key is published now and signs after signing.overlap. False: it signs at once.',
  })
  publishFirst: boolean = false;
}

/** A key the hub signs with, without its private part. */
export class SigningKeyDto {
  @Shown.Text()
  readonly kid!: string;

  @Shown.Text({ example: 'ES256' })
  readonly alg!: string;

  @Shown.Choice(KEY_STATES)
  readonly state!: KeyState;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time({ description: 'When it starts to sign.' })
  readonly signsFrom!: string;

  @Shown.Time({ nullable: true })
  readonly revokedAt!: string | null;

  constructor({ publicKey, state, createdAt, signsFrom, revokedAt }: ListedKey) {
    fill<SigningKeyDto>(this, {
      kid: publicKey.kid,
      alg: publicKey.alg,
      state,
      createdAt,
      signsFrom,
      revokedAt,
    });
  }
}

export class SigningKeyPageDto {
  @Shown.Nested(() => SigningKeyDto, { list: true })
  readonly items!: readonly SigningKeyDto[];

  @Shown.Text({ nullable: true, description: 'Always null: the list is whole.' })
  readonly nextCursor!: string | null;
}
