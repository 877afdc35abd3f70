import type { Schema } from '../../../api/client';
import { durationText } from '../../../ui/time';

/** How long a receiver took; of one at a private address it is known only that it took no longer. */
export function latencyText(
  { isRounded }: Pick<Schema<'DeliveryAttemptDto'>, 'isRounded'>,
  ms: number,
): string {
  return isRounded ? `at most ${ms / 1000} s` : durationText(ms);
}
