export { JWKS_PATH } from './jwks.endpoint.js';
export { SignatureOrder } from './signature-order.js';
export { SigningModule } from './signing.module.js';
export { type ListedKey, type Signer, SigningService } from './signing.service.js';
