import type { SchemaPart } from '../../database/schema.js';
import { Signing1700000000005 } from './migrations/1700000000005-signing.js';
import { RevokedAfter1700000000963 } from './migrations/1700000000963-revoked-after.js';
import { SigningKeyEntity } from './signing-key.entity.js';

export const SIGNING_SCHEMA: SchemaPart = {
  entities: [SigningKeyEntity],
  migrations: [Signing1700000000005, RevokedAfter1700000000963],
  sealed: [
    {
      table: 'signing_keys',
      key: ['generation'],
      columns: [{ name: 'private_key', form: 'text' }],
    },
  ],
};
