import { describe, expect, it } from '@jest/globals';
import { destinationOf, EgressPolicy } from './guard.js';

function judge(policy: EgressPolicy, url: string, addresses?: readonly string[]): string {
  const parsed = new URL(url);
  const refusal =
    policy.refusalOfUrl(parsed) ??
    (addresses && policy.refusalOf(destinationOf(parsed), addresses));
  return refusal ?? 'allowed';
}

describe('EgressPolicy with an allow-list', () => {
  it('lets an allowed network be reached by http, and nothing beside it', () => {
    const policy = new EgressPolicy(['10.0.0.0/8']);
    expect(judge(policy, 'http://10.2.3.4/')).toBe('allowed');
    expect(judge(policy, 'http://agent.internal/', ['10.2.3.4'])).toBe('allowed');
    expect(judge(policy, 'https://[::ffff:10.2.3.4]/')).toBe('allowed');
    expect(judge(policy, 'http://agent.internal/', ['10.2.3.4', '192.168.1.1'])).toContain(
      'private',
    );
    expect(judge(policy, 'http://agent.example/', ['8.8.8.8'])).toContain('plain http');
  });

  it('refuses plain http before it asks for addresses, where nothing could allow it', () => {
    expect(judge(new EgressPolicy(['agent.internal']), 'http://agent.example/')).toContain(
      'plain http',
    );
    expect(judge(new EgressPolicy(['10.0.0.0/8']), 'http://agent.example/')).toBe('allowed');
  });

  it('lets an allowed host name resolve to anything but a metadata service', () => {
    const policy = new EgressPolicy(['agent.internal']);
    expect(judge(policy, 'http://agent.internal/', ['127.0.0.1'])).toBe('allowed');
    expect(judge(policy, 'http://AGENT.internal./', ['10.0.0.1'])).toBe('allowed');
    expect(judge(policy, 'http://agent.internal/', ['169.254.169.254'])).toContain('metadata');
    expect(judge(policy, 'https://x.agent.internal/', ['10.0.0.1'])).toContain('private');
  });

  it('lets a wildcard match every name below it, not the domain itself', () => {
    const policy = new EgressPolicy(['*.example.com']);
    expect(judge(policy, 'https://a.b.example.com/', ['10.0.0.1'])).toBe('allowed');
    expect(judge(policy, 'https://example.com/', ['10.0.0.1'])).toContain('private');
    expect(judge(policy, 'https://badexample.com/', ['10.0.0.1'])).toContain('private');
  });

  it('keeps an entry with a port to that port', () => {
    const policy = new EgressPolicy(['localhost:4001', '10.0.0.1:8443', '[::1]:8080']);
    expect(judge(policy, 'http://localhost:4001/', ['127.0.0.1'])).toBe('allowed');
    expect(judge(policy, 'https://localhost/', ['127.0.0.1'])).toContain('loopback');
    expect(judge(policy, 'https://10.0.0.1:8443/')).toBe('allowed');
    expect(judge(policy, 'https://10.0.0.1/')).toContain('private');
    expect(judge(policy, 'http://[::1]:8080/')).toBe('allowed');
  });

  it('opens a metadata service only by its exact address', () => {
    expect(judge(new EgressPolicy(['169.254.0.0/16']), 'http://169.254.169.254/')).toContain(
      'metadata',
    );
    expect(judge(new EgressPolicy(['169.254.169.254']), 'http://169.254.169.254/')).toBe('allowed');
  });

  it.each(['*', '10.0.0.0/40', 'a.*.example', 'https://agent.internal', 'a b', 'host:99999', ''])(
    'refuses the entry "%s" by name',
    (entry) => {
      expect(() => new EgressPolicy([entry])).toThrow(`egress.allow: "${entry}"`);
    },
  );
});
