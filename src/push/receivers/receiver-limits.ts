import type { AppConfig } from '../../config/index.js';
import type { ReceiverLimits } from './receiver-store.js';

/** The limits as the settings `push.verification` and `push.unverified.*` have them. */
export function receiverLimits({ verification, unverified }: AppConfig['push']): ReceiverLimits {
  const { requestsPerMinute, bytesPerMinute, principal } = unverified;
  return {
    mode: verification,
    receiver: { requestsPerMinute, bytesPerMinute },
    principal,
    receiversPerPrincipal: principal.receivers,
  };
}
