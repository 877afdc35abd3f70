import { Egress, type EgressSettings, egressOptions } from '../common/egress/egress.js';
import { WebhookEgress } from '../common/egress/webhook-egress.js';

interface Fault {
  readonly key: string;
  readonly text: string;
}

/** What is wrong with the settings `egress.*`: the key and the reason; undefined when nothing is. */
export function egressFault(settings: EgressSettings): Fault | undefined {
  if (settings.proxy === null && (settings.noProxy.length > 0 || settings.proxyResolves)) {
    const key = settings.noProxy.length > 0 ? 'egress.noProxy' : 'egress.proxyResolves';
    return { key, text: 'means nothing without egress.proxy' };
  }
  return faultOf(() => new Egress(egressOptions(settings)));
}

/** What is wrong with the setting `push.allow`. */
export function webhookAllowFault(entries: readonly string[]): Fault | undefined {
  return faultOf(() => WebhookEgress.of(entries, {}));
}

function faultOf(make: () => unknown): Fault | undefined {
  try {
    make();
    return undefined;
  } catch (error) {
    const [, key, text] = /^([\w.]+): (.*)$/s.exec((error as Error).message) ?? [];
    if (key === undefined || text === undefined) throw error;
    return { key, text };
  }
}
