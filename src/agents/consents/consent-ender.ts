import type { Visibility } from '../../auth/index.js';

/** Ends consents of users, and their tokens at the provider as well, where that can and is there. */
export abstract class ConsentEnder {
  /**
   * No call is made with the consent from now on, and its tokens are ended. False when there is no such consent for `visibility`.
   * `cause`: why the hub ends it by itself. Once `signal` is aborted, the provider is not waited for: the log names what was not ended.
   */
  abstract end(
    id: string,
    visibility: Visibility,
    cause?: string,
    signal?: AbortSignal,
  ): Promise<boolean>;
}
