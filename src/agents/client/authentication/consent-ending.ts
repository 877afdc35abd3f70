import { Inject, Injectable } from '@nestjs/common';
import { type AuditEntry, AuditLog, NO_CALLER, ownEntry } from '../../../audit/index.js';
import type { Visibility } from '../../../auth/index.js';
import { Log } from '../../../common/logger.js';
import { unlessAborted } from '../../../common/unless-aborted.js';
import type { Consent, ConsentRecord, ConsentTokens } from '../../consents/consent.js';
import { ConsentEnder } from '../../consents/consent-ender.js';
import { ConsentStore, type RemovedConsent } from '../../consents/consent-store.js';
import { ConsentFailed, ConsentProviders } from './consent-providers.js';

const NEVER = new AbortController().signal;

/** What can be ended at a provider: the refresh token, with all that came of it, else the access token. */
type EndableTokens = Pick<ConsentTokens, 'accessToken' | 'refreshToken'>;

/** {@link ConsentEnder} with the tokens that are kept, as the client that was given them. */
@Injectable()
export class ConsentEnding extends ConsentEnder {
  constructor(
    private readonly store: ConsentStore,
    @Inject(ConsentProviders) private readonly providers: Pick<ConsentProviders, 'revoke'>,
    @Inject(AuditLog) private readonly audit: Pick<AuditLog, 'recordFrom'>,
    @Inject(Log) private readonly log: Pick<Log, 'warn'>,
  ) {
    super();
  }

  async end(
    id: string,
    visibility: Visibility,
    cause?: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const removed = await this.removed(id, visibility, cause);
    if (removed === undefined) return false;
    await this.endTokens(removed, removed.tokens, signal);
    return true;
  }

  /** Deletes one whose tokens no longer do, unless it has others already, or was deleted: false. */
  async removeUseless(consent: Consent, cause: string): Promise<boolean> {
    const { store } = this;
    let isRemoved = false;
    await this.audit.recordFrom(function* (tx) {
      isRemoved = yield* store.removeWith(tx, consent.id, consent.tokenAt);
      return isRemoved ? [endOf(consent, cause)] : [];
    });
    return isRemoved;
  }

  /** Ends what came of a consent, or null: what cannot be opened. Never rejects: the log says when it did not work. */
  async endTokens(
    consent: Omit<ConsentRecord, 'tokenAt'>,
    tokens: EndableTokens | null,
    signal = NEVER,
  ): Promise<void> {
    try {
      if (tokens === null) throw new ConsentFailed('They cannot be decrypted.');
      if (signal.aborted) throw tooLate();
      const token = tokens.refreshToken ?? tokens.accessToken;
      await unlessAborted(this.providers.revoke(consent, consent.client, token), signal, tooLate);
    } catch (error) {
      const { id, agentId } = consent;
      const isForeseen = error instanceof ConsentFailed;
      this.log.warn(
        { consent: id, agentId, ...(isForeseen ? { reason: error.message } : { err: error }) },
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

function tooLate(): ConsentFailed {
  return new ConsentFailed('The provider was not waited for any longer.');
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
