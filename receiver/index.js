export { answerChallenge } from './challenge.js';
export { WebhookVerificationError } from './errors.js';
export { Inbox, classify } from './inbox.js';
export { createVerifier } from './verifier.js';
