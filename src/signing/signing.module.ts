import { Module } from '@nestjs/common';
import { JwksEndpoint } from './jwks.endpoint.js';
import { SqlSigningKeyStore } from './persistence/sql-signing-key.store.js';
import { SigningKeyStore } from './signing-key-store.js';
import { SigningService } from './signing.service.js';

/** The keys the hub signs with, and their public set. */
@Module({
  providers: [
    { provide: SigningKeyStore, useClass: SqlSigningKeyStore },
    SigningService,
    JwksEndpoint,
  ],
  exports: [SigningService],
})
export class SigningModule {}
