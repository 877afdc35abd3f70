export { JWKS_PATH } from './jwks.endpoint.js';
export { SigningModule } from './signing.module.js';
export { type ListedKey, type Signer, SigningService } from './signing.service.js';
