import { Injectable } from '@nestjs/common';
import { ApiKeyStore } from './api-key-store.js';
import { IdentityStore } from './identity-store.js';

/** Tells whether callers of several organizations share the hub. */
@Injectable()
export class CallerOrganizations {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly identities: IdentityStore,
  ) {}

  /** Whether more than one organization has valid credentials, those of operators aside. */
  areSeveral(): Promise<boolean> {
    return this.keys.hasSeveralOrganizations();
  }

  /** Calls the listener after each credential that is added here, until the function that is given back is called. */
  onAdded(listener: () => void): () => void {
    const unlisten = [this.keys.onAdded(listener), this.identities.onAdded(listener)];
    return () => unlisten.forEach((stop) => stop());
  }
}
