import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE, JSON_TEXT } from '../../database/columns.js';
import type { PublicKey } from '../signing-key.js';

/** The table `signing_keys`. Keys are JSON Web Keys. */
@Entity('signing_keys')
export class SigningKeyEntity {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'signing_keys_pk' })
  generation!: number;

  @Column({ type: 'text' })
  kid!: string;

  @Column({ name: 'public_key', type: 'text', transformer: JSON_TEXT })
  publicKey!: PublicKey;

  /** Sealed by `SecretBox`; null when the key signs no more. */
  @Column({ name: 'private_key', type: 'text', nullable: true })
  sealedPrivateKey!: string | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'signs_from', type: 'bigint', transformer: DATE })
  signsFrom!: Date;

  @Column({ name: 'revoked_at', type: 'bigint', nullable: true, transformer: DATE })
  revokedAt!: Date | null;

  @Column({ name: 'revoked_after', type: 'bigint', nullable: true })
  revokedAfter!: number | null;
}
