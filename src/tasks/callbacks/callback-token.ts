import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The token an agent must show when it calls back about a delegation (256 bits). It follows from the
 * hub's secret, so that every process can tell a genuine one without looking anything up.
 */
export function callbackToken(secret: string, delegationId: string): string {
  return createHmac('sha256', secret).update(`agent-callback ${delegationId}`).digest('base64url');
}

/** Whether `given` is the token of this delegation; takes equally long for every wrong one. */
export function isCallbackToken(secret: string, delegationId: string, given: string): boolean {
  const right = Buffer.from(callbackToken(secret, delegationId));
  const shown = Buffer.from(given);
  return shown.length === right.length && timingSafeEqual(shown, right);
}
