import { ApiProperty } from '@nestjs/swagger';
import type { SecretBox } from '../common/secret-box.js';
import type { SecretCensus } from './secret-census.js';

/** `encrypts`: new secrets get it. `decrypts`: it is configured for older ones. `missing`: it is not configured. */
const KEY_USES = ['encrypts', 'decrypts', 'missing'] as const;
type KeyUse = (typeof KEY_USES)[number];

/** A key that secrets are encrypted with, by its id; never the key itself. */
export class SecretKeyDto {
  @ApiProperty({ type: String, example: 'k2' })
  readonly id: string;

  @ApiProperty({
    enum: KEY_USES,
    description:
      'encrypts: it encrypts new secrets. decrypts: it only decrypts older ones. missing: secrets need it, but this process does not have it.',
  })
  readonly use: KeyUse;

  @ApiProperty({
    type: Number,
    example: 120,
    description: 'How many secrets are encrypted with it.',
  })
  readonly secrets: number;

  constructor(id: string, use: KeyUse, census: SecretCensus) {
    this.id = id;
    this.use = use;
    this.secrets = census.of(id);
  }
}

export class SecretsDto {
  @ApiProperty({ type: [SecretKeyDto], description: 'The key that encrypts comes first.' })
  readonly keys: readonly SecretKeyDto[];

  @ApiProperty({ type: Number, example: 0, description: 'Secrets that are not encrypted yet.' })
  readonly unencrypted: number;

  @ApiProperty({
    type: Number,
    example: 0,
    description: 'Secrets that the key of their id cannot decrypt.',
  })
  readonly unreadable: number;

  constructor({ sealingKey, keyIds }: SecretBox, census: SecretCensus) {
    this.keys = [
      ...keyIds.map(
        (id) => new SecretKeyDto(id, id === sealingKey ? 'encrypts' : 'decrypts', census),
      ),
      ...census.missing(keyIds).map((id) => new SecretKeyDto(id, 'missing', census)),
    ];
    this.unencrypted = census.unencrypted;
    this.unreadable = census.unreadable;
  }
}
