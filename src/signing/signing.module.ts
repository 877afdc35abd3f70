import { Module } from '@nestjs/common';
import { JwksEndpoint } from './jwks.endpoint.js';
import { TypeormSigningKeyStore } from './persistence/typeorm-signing-key.store.js';
import { SigningKeyStore } from './signing-key-store.js';
import { SigningService } from './signing.service.js';

/** The keys the hub signs with, and their public set. */
@Module({
  providers: [
    { provide: SigningKeyStore, useClass: TypeormSigningKeyStore },
    SigningService,
    JwksEndpoint,
  ],
  exports: [SigningService],
})
export class SigningModule {}
