/** Called when a principal is disabled, enabled, or has other keys; never rejects, since that is committed. */
type Listener = (principalId: string) => Promise<void>;

/**
 * Notifies the features above `auth` in this process that a principal was disabled, enabled or has other keys. It
 * carries nothing that is not in the database (`PrincipalStore.unreconciled`), where other processes see it.
 */
export class PrincipalChanges {
  private readonly listeners = new Set<Listener>();

  /** Resolves when all have acted. */
  async notify(principalId: string): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener(principalId)));
  }

  /** Calls `listener` on every change until the returned function is called. */
  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
