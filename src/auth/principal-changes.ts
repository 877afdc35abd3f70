/** Somebody who has to act on it when a principal is disabled, enabled, or has other keys. */
type Listener = (principalId: string) => Promise<void>;

/**
 * Notifies the features above `auth` in this process that a principal was disabled, enabled or has other keys. It
 * carries nothing that is not in the database (`PrincipalStore.unreconciled`), where other processes see it.
 */
export class PrincipalChanges {
  private readonly listeners = new Set<Listener>();

  /** Resolves when all have acted; rejects when one could not. */
  async notify(principalId: string): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener(principalId)));
  }

  /** Calls `listener` on every change until the returned function is called. */
  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
