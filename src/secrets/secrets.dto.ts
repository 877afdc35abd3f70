import { Shown } from '../common/http/fields.js';
import { fill } from '../common/http/view.js';
import type { SecretBox } from '../common/secret-box.js';
import type { SecretCensus } from './secret-census.js';

/** `encrypts`: new secrets get it. `decrypts`: it is configured for older ones. `missing`: it is not configured. */
const KEY_USES = ['encrypts', 'decrypts', 'missing'] as const;
type KeyUse = (typeof KEY_USES)[number];

/** A key that secrets are encrypted with, by its id; never the key itself. */
export class SecretKeyDto {
  @Shown.Text({ example: 'k2' })
  readonly id: string;

  @Shown.Choice(KEY_USES, {
    description:
      'encrypts: it encrypts new secrets. decrypts: it only decrypts older ones. missing: secrets need it, but this process does not have it.',
  })
  readonly use: KeyUse;

  @Shown.Num({ description: 'How many secrets are encrypted with it.', example: 120 })
  readonly secrets: number;

  constructor(id: string, use: KeyUse, census: SecretCensus) {
    this.id = id;
    this.use = use;
    this.secrets = census.of(id);
  }
}

export class SecretsDto {
  @Shown.Nested(() => SecretKeyDto, {
    list: true,
    description: 'The key that encrypts comes first.',
  })
  readonly keys!: readonly SecretKeyDto[];

  @Shown.Num({ description: 'Secrets that are not encrypted yet.', example: 0 })
  readonly unencrypted!: number;

  @Shown.Num({ description: 'Secrets that the key of their id cannot decrypt.', example: 0 })
  readonly unreadable!: number;

  constructor({ sealingKey, keyIds }: SecretBox, census: SecretCensus) {
    fill<SecretsDto>(this, {
      ...census,
      keys: [
        ...keyIds.map(
          (id) => new SecretKeyDto(id, id === sealingKey ? 'encrypts' : 'decrypts', census),
        ),
        ...census.missing(keyIds).map((id) => new SecretKeyDto(id, 'missing', census)),
      ],
    });
  }
}
