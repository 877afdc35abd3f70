import { Module } from '@nestjs/common';
import { SigningKeysController } from './signing-keys.controller.js';
import { JwksEndpoint } from './jwks.endpoint.js';
import { SqlSigningKeyStore } from './persistence/sql-signing-key.store.js';
import { SigningKeyStore } from './signing-key-store.js';
import { SigningService } from './signing.service.js';
import { logOf } from '../common/module-logs.js';

/** The keys the hub signs with, and their public set. */
@Module({
  controllers: [SigningKeysController],
  providers: [
    logOf('signing'),
    { provide: SigningKeyStore, useClass: SqlSigningKeyStore },
    SigningService,
    JwksEndpoint,
  ],
  exports: [SigningService],
})
export class SigningModule {}
