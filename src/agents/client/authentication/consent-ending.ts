import { Inject, Injectable } from '@nestjs/common';
import { type AuditEntry, AuditLog, NO_CALLER, ownEntry } from '../../../audit/index.js';
import type { Visibility } from '../../../auth/index.js';
import { Log } from '../../../common/logger.js';
import type { Consent, ConsentRecord, ConsentTokens } from '../../consents/consent.js';
import { ConsentStore, type RemovedConsent } from '../../consents/consent-store.js';
import { ConsentFailed, ConsentProviders, type ConsentPurpose } from './consent-providers.js';

/** What can be ended at a provider: the refresh token, with all that came of it, else the access token. */
type EndableTokens = Pick<ConsentTokens, 'accessToken' | 'refreshToken'>;

/** Ends consents of users, and their tokens at the provider as well, where that can and is there. */
@Injectable()
export class ConsentEnding {
  constructor(
    private readonly store: ConsentStore,
    @Inject(ConsentProviders) private readonly providers: Pick<ConsentProviders, 'revoke'>,
    @Inject(AuditLog) private readonly audit: Pick<AuditLog, 'recordFrom'>,
    @Inject(Log) private readonly log: Pick<Log, 'warn'>,
  ) {}

  /**
   * No call is made with the consent from now on, and its tokens are ended. False when there is no such consent for `visibility`.
   * `cause`: why the hub ends it by itself.
   */
  async end(id: string, visibility: Visibility, cause?: string): Promise<boolean> {
    const removed = await this.removed(id, visibility, cause);
    if (removed === undefined) return false;
    const { tokens, client } = removed;
    if (tokens !== null) await this.endTokens(removed, client, tokens);
    return true;
  }

  /** Deletes one whose tokens no longer do, unless it has others already. */
  async removeUseless(consent: Consent, cause: string): Promise<void> {
    const { store } = this;
    await this.audit.recordFrom(function* (tx) {
      const isRemoved = yield* store.removeWith(tx, consent.id, consent.tokenAt);
      return isRemoved ? [endOf(consent, cause)] : [];
    });
  }

  /** Ends what this client was given. Never rejects: the log says when it did not work. */
  async endTokens(key: ConsentPurpose, client: string, tokens: EndableTokens): Promise<void> {
    try {
      await this.providers.revoke(key, client, tokens.refreshToken ?? tokens.accessToken);
    } catch (error) {
      const isForeseen = error instanceof ConsentFailed;
      this.log.warn(
        { agentId: key.agentId, ...(isForeseen ? { reason: error.message } : { err: error }) },
        'the tokens of a consent were not ended at their provider',
      );
    }
  }

  private async removed(
    id: string,
    visibility: Visibility,
    cause: string | undefined,
  ): Promise<RemovedConsent | undefined> {
    const { store } = this;
    if (cause === undefined) return store.remove(id, visibility);
    let removed: RemovedConsent | undefined;
    await this.audit.recordFrom(function* (tx) {
      removed = yield* store.removeIn(tx, id, visibility);
      return removed === undefined ? [] : [endOf(removed, cause)];
    });
    return removed;
  }
}

/** Nobody has ended it: the audit log says why it is gone, in the commit in which it goes. */
function endOf(
  { id, principalId, organization }: Pick<ConsentRecord, 'id' | 'principalId' | 'organization'>,
  cause: string,
): AuditEntry {
  return {
    ...ownEntry('consents.end', 'succeeded', { type: 'consents', id }, { cause }),
    actor: { ...NO_CALLER, organization, onBehalfOf: principalId },
  };
}
