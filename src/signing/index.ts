export { KEY_STATES, type KeyState } from './domain/key-schedule.js';
export { JWKS_PATH } from './jwks.endpoint.js';
export type { PublicKey } from './signing-key.js';
export { SigningModule } from './signing.module.js';
export { type ListedKey, type Signature, type Signer, SigningService } from './signing.service.js';
