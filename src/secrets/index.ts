export { KeptReferences } from './references/kept-references.js';
export { openSecretBox } from './open-secret-box.js';
export { SecretsModule } from './secrets.module.js';
