import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HubError } from '../common/hub-error.js';
import { Log } from '../common/logger.js';
import { AuthService } from './auth.service.js';
import { type RequestHeaders, keyIdOf, presentedKey } from './credential.js';
import type { Principal } from './principal.js';

/** How often the keys of what stays open are looked at again: another process may have revoked one. */
const LOOK_AGAIN_MS = 60_000;

/** Something that stays open for a caller. */
interface Watched {
  readonly headers: RequestHeaders;
  readonly principal: Principal;
  readonly open: AbortController;
}

/**
 * Ends what stays open longer than a request when the key it was opened with is revoked: at once when
 * that happens here, within about a minute when another process does it.
 */
@Injectable()
export class KeyWatch implements OnModuleDestroy {
  private readonly watched = new Set<Watched>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly auth: AuthService,
    private readonly log: Log,
  ) {}

  /**
   * Aborts `open` with UNAUTHENTICATED for its reason once the key in the headers is no longer this
   * principal's, until the function that is given back is called.
   */
  watch(headers: RequestHeaders, principal: Principal, open: AbortController): () => void {
    const entry = { headers, principal, open };
    this.watched.add(entry);
    this.timer ??= setInterval(() => void this.lookAgain(), LOOK_AGAIN_MS).unref();
    return () => {
      this.watched.delete(entry);
      if (this.watched.size === 0) this.stop();
    };
  }

  /** A key was revoked here. */
  revoked(keyId: string): void {
    for (const entry of this.watched) {
      const key = presentedKey(entry.headers);
      if (key !== undefined && keyIdOf(key) === keyId) end(entry);
    }
  }

  onModuleDestroy(): void {
    this.stop();
  }

  private async lookAgain(): Promise<void> {
    for (const entry of this.watched) {
      try {
        const { id } = await this.auth.authenticate(entry.headers);
        if (id !== entry.principal.id) end(entry);
      } catch (error) {
        if (error instanceof HubError && error.reason === 'UNAUTHENTICATED') end(entry);
        else this.log.warn({ err: error }, 'the key of an open stream could not be looked up');
      }
    }
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

function end({ open }: Watched): void {
  open.abort(new HubError('UNAUTHENTICATED', 'The API key is no longer valid.'));
}
