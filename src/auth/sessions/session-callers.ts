import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import { AppConfig } from '../../config/index.js';
import type { RequestHeaders } from '../credential.js';
import { OwnPages } from '../own-pages.js';
import type { Principal } from '../principal.js';
import type { SessionCredentials, SessionToken } from './session-credentials.js';

/** What the hub's own page sends with each call. A page of another origin cannot, unless the hub allows it (CORS), which it does not. */
export const CONSOLE_HEADER = 'x-a2a-hub-console';

/** The id of the principal that the page shows what it reads to. Without it a session counts whoever it is of. */
const CALLER_HEADER = 'x-a2a-hub-console-caller';

/** Why a session does not let its page in: what the page is told by `metadata.session`. */
export type SessionFault =
  /** There is none of this cookie, it has not been used for too long, or its tokens have ended. */
  | 'expired'
  /** Its provider takes its refresh token no more, or names somebody else by it. */
  | 'ended'
  /** Its access token is not taken any more, or its principal is disabled: the message says why. */
  | 'refused'
  /** It is of another principal than the page is for: somebody else has signed in in the same browser. */
  | 'other';

/** Who calls from the hub's own page, by a session. */
@Injectable()
export class SessionCallers {
  private credentials: SessionCredentials | undefined;
  private readonly pages: OwnPages;

  constructor(config: AppConfig) {
    this.pages = new OwnPages(config);
  }

  /** To be told at the start, by what keeps sessions. Without it no cookie means anything. */
  use(credentials: SessionCredentials): void {
    this.credentials = credentials;
  }

  /**
   * The session of a request of the hub's own page; undefined for any other request: a cookie alone says nothing. Rejects as
   * {@link SessionCredentials.tokenOf} does, and with PERMISSION_DENIED for one of another page.
   */
  async shownBy(headers: RequestHeaders): Promise<SessionToken | undefined> {
    const { credentials } = this;
    if (credentials === undefined || headers[CONSOLE_HEADER] === undefined) return undefined;
    if (!credentials.isBrought(headers)) return undefined;
    this.refuseOthers(headers);
    return credentials.tokenOf(headers);
  }

  /** Throws PERMISSION_DENIED for a request of another page than the hub's own. */
  refuseOthers(headers: RequestHeaders): void {
    const fault = this.pages.faultWithSession(headers);
    if (fault === undefined) return;
    throw new HubError('PERMISSION_DENIED', fault, { refusal: { cause: 'foreign-page' } });
  }

  /** Rejects with {@link sessionIsOver} a call of a page that is for another principal than this one, whose session it brings. */
  refuseForOther(headers: RequestHeaders, { id }: Principal): void {
    const meant = headers[CALLER_HEADER];
    if (meant === undefined || meant === id) return;
    throw sessionIsOver('other', 'Somebody else has signed in meanwhile: the session is theirs.');
  }

  /** The principal of a session, which `find` finds by its token. Rejects with {@link sessionIsOver} when it is not one any more. */
  async principalOf(session: SessionToken, find: () => Promise<Principal>): Promise<Principal> {
    const { sessionId: id, principalId, expiresAt, check } = session;
    const holder = await find().catch((error: unknown) => {
      if (!(error instanceof HubError) || error.reason !== 'UNAUTHENTICATED') throw error;
      throw sessionIsOver('refused', `The session has ended: ${error.message}`, error);
    });
    if (holder.id !== principalId) {
      throw sessionIsOver('ended', 'The session has ended: its token is of somebody else by now.');
    }
    const { voucher } = holder;
    return Object.freeze({
      ...holder,
      session: { id, expiresAt },
      voucher: {
        id: `${voucher?.id ?? ''} ${id}`,
        source: voucher?.source ?? 'sessions',
        check: async () => {
          await check();
          await voucher?.check();
        },
      },
    });
  }
}

/** UNAUTHENTICATED, for a page that can act upon it: it signs in again. */
export function sessionIsOver(
  session: SessionFault,
  text = 'The session has expired: sign in again.',
  cause?: HubError,
): HubError {
  return new HubError('UNAUTHENTICATED', text, {
    metadata: { session },
    refusal: cause?.refusal ?? { cause: `${session}-session` },
    cause,
  });
}
