import { describe, expect, it } from '@jest/globals';
import type { EgressSettings } from '../common/egress/egress.js';
import { egressFault } from './egress-faults.js';
import { configWith, loadConfig, summarize } from './load-config.js';

const NONE: EgressSettings = {
  allow: [],
  openPorts: [],
  proxy: null,
  proxyCa: null,
  noProxy: [],
  proxyResolves: false,
};
const PROXY = 'http://hub:hunter2@proxy.internal:3128';

describe('the settings egress.*', () => {
  it.each<[string, Partial<EgressSettings>]>([
    ['nothing', {}],
    ['everything', { allow: ['10.0.0.0/8'], proxy: PROXY, noProxy: ['*.internal', '::1'] }],
    ['a proxy at https', { proxy: 'https://[2001:db8::1]', proxyResolves: true }],
  ])('may be %s', (_what, settings) => {
    expect(egressFault({ ...NONE, ...settings })).toBeUndefined();
  });

  it.each<[string, string, Partial<EgressSettings>]>([
    ['egress.allow', '"a b"', { allow: ['a b'] }],
    ['egress.noProxy', '"https://x"', { proxy: PROXY, noProxy: ['https://x'] }],
    ['egress.noProxy', 'without egress.proxy', { noProxy: ['x'] }],
    ['egress.proxyResolves', 'without egress.proxy', { proxyResolves: true }],
    ['egress.proxy', 'is not http://host:port', { proxy: 'http://:hunter2@' }],
    ['egress.proxy', 'is not http://host:port', { proxy: 'http://u:hunter2@p/path' }],
    ['egress.proxy', 'percent-encoded', { proxy: 'http://u:hunter2%@p' }],
  ])('are refused by name: %s (%s)', (key, text, settings) => {
    const fault = egressFault({ ...NONE, ...settings });
    expect(fault).toMatchObject({ key, text: expect.stringContaining(text) });
    expect(fault!.text).not.toContain('hunter2');
  });

  it('keep the password of the proxy out of the summary and of errors', () => {
    const summary = JSON.stringify(summarize(configWith({ egress: { proxy: PROXY } })));
    expect(summary).toContain('http://********@proxy.internal:3128');
    expect(summary).not.toContain('hunter2');
    const environment = { A2A_HUB__EGRESS__PROXY: 'socks5://hub:hunter2@proxy.internal' };
    let error: unknown;
    try {
      loadConfig(environment);
    } catch (thrown) {
      error = thrown;
    }
    expect(String(error)).toContain('egress.proxy');
    expect(String(error)).not.toContain('hunter2');
  });

  it('take ports as numbers, in the environment between commas', () => {
    const of = (ports: string) =>
      loadConfig({ A2A_HUB__EGRESS__OPEN_PORTS: ports }).egress.openPorts;
    expect(of('6379, 25')).toEqual([6379, 25]);
    for (const wrong of ['0', '65536', 'smtp', '1.5', '-1']) {
      expect(() => of(wrong)).toThrow('egress.openPorts');
    }
  });
});
