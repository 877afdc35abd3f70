import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { SqlSealedValueStore } from './persistence/sql-sealed-value.store.js';
import { SealedValueStore } from './sealed-value-store.js';
import { SecretRotation } from './secret-rotation.js';
import { SecretWalk } from './secret-walk.js';
import { SecretsController } from './secrets.controller.js';
import { logOf } from '../common/module-logs.js';

/** The secrets of the database as a whole. What seals and opens them is `SecretBox`, which is everywhere. */
@Module({
  imports: [AuthModule],
  controllers: [SecretsController],
  providers: [
    logOf('secrets'),
    { provide: SealedValueStore, useClass: SqlSealedValueStore },
    SecretWalk,
    SecretRotation,
  ],
})
export class SecretsModule {}
