import { Egress, type EgressSettings, egressOptions } from '../common/egress/egress.js';

/** What is wrong with the settings `egress.*`: the key and the reason; undefined when nothing is. */
export function egressFault(
  settings: EgressSettings,
): { readonly key: string; readonly text: string } | undefined {
  if (settings.proxy === null && (settings.noProxy.length > 0 || settings.proxyResolves)) {
    const key = settings.noProxy.length > 0 ? 'egress.noProxy' : 'egress.proxyResolves';
    return { key, text: 'means nothing without egress.proxy' };
  }
  try {
    new Egress(egressOptions(settings));
    return undefined;
  } catch (error) {
    const [, key, text] = /^([\w.]+): (.*)$/s.exec((error as Error).message) ?? [];
    if (key === undefined || text === undefined) throw error;
    return { key, text };
  }
}
