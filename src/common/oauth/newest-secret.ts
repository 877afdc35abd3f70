import { errorCodeOf } from './request-token.js';

/**
 * Asks a server whose client the hub is. A server that does not take the secret that is known any more (RFC 6749 §5.2) may take the one
 * that there is by now: it is asked once more with the `newest`, where that is another.
 */
export async function withNewestSecret<S, T>(
  known: S,
  newest: () => Promise<S>,
  ask: (secret: S) => Promise<T>,
): Promise<T> {
  try {
    return await ask(known);
  } catch (error) {
    if (errorCodeOf(error) !== 'invalid_client') throw error;
    const other = await newest();
    if (other === known) throw error;
    return ask(other);
  }
}
