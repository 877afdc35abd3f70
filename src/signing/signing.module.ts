import { Module } from '@nestjs/common';
import { JwksDoor } from './jwks.door.js';
import { TypeormSigningKeyStore } from './persistence/typeorm-signing-key.store.js';
import { SigningKeyStore } from './signing-key-store.js';
import { SigningService } from './signing.service.js';

/** The keys the hub signs with, and their public set. */
@Module({
  providers: [
    { provide: SigningKeyStore, useClass: TypeormSigningKeyStore },
    SigningService,
    JwksDoor,
  ],
  exports: [SigningService],
})
export class SigningModule {}
