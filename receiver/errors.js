/**
 * A request that is not to be trusted. `code` says what did not hold; the message never holds a secret.
 *
 * - `header`: a header that is needed is missing, there twice, or not of its form;
 * - `timestamp`: `webhook-timestamp` is too far from now, in the past or the future;
 * - `signature`: no signature fits the body, the id and the timestamp;
 * - `authorization`: the bearer token, Basic pair, API key or JWT is wrong;
 * - `token`: `A2A-Notification-Token` is wrong;
 * - `body`: the body is not JSON.
 */
export class WebhookVerificationError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}
