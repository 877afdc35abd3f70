import type { Schema } from '../../../api/client';
import { durationText } from '../../../ui/time';

/** A time of a receiver; of one at a private address it is known only that it took no longer. */
export function latencyText({ isRounded }: Schema<'ReceiverLatencyDto'>, ms: number): string {
  return isRounded ? `at most ${ms / 1000} s` : durationText(ms);
}
