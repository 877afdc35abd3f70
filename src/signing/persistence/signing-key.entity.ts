import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The table `signing_keys`. Keys are JSON Web Keys; times are epoch milliseconds. */
@Entity('signing_keys')
export class SigningKeyEntity {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'signing_keys_pk' })
  generation!: number;

  @Column({ type: 'text' })
  kid!: string;

  @Column({ name: 'public_key', type: 'text' })
  publicKey!: string;

  /** Sealed by `SecretBox`; null when the key signs no more. */
  @Column({ name: 'private_key', type: 'text', nullable: true })
  privateKey!: string | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'signs_from', type: 'bigint' })
  signsFrom!: number;

  @Column({ name: 'revoked_at', type: 'bigint', nullable: true })
  revokedAt!: number | null;
}
