import { describe, expect, it } from '@jest/globals';
import { destinationOf, EgressPolicy } from './guard.js';

const nothingAllowed = new EgressPolicy([]);

function judge(policy: EgressPolicy, url: string, addresses?: readonly string[]): string {
  const parsed = new URL(url);
  const refusal =
    policy.refusalOfUrl(parsed) ??
    (addresses && policy.refusalOf(destinationOf(parsed), addresses));
  return refusal ?? 'allowed';
}

describe('EgressPolicy without an allow-list', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['169.254.1.1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['100.64.0.1', 'carrier-grade'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['0.0.0.0', 'wildcard'],
    ['0.1.2.3', 'wildcard'],
    ['::', 'wildcard'],
    ['::1', 'loopback'],
    ['fe80::1', 'link-local'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fec0::1', 'private'],
    ['ff02::1', 'multicast'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:a9fe:a9fe', 'metadata'],
    ['::127.0.0.1', 'loopback'],
    ['::ffff:0:10.0.0.1', 'IPv4-translated'],
    ['64:ff9b::10.0.0.1', 'NAT64'],
    ['64:ff9b::8.8.8.8', 'NAT64'],
    ['64:ff9b:1::1', 'NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2001:0:1::1', 'Teredo'],
    ['2001:db8::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['100::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['5f00::1', 'reserved'],
  ])('refuses %s as %s, written in the URL or resolved', (address, word) => {
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(judge(nothingAllowed, `https://${literal}/`)).toContain(word);
    expect(judge(nothingAllowed, 'https://agent.example/', [address])).toContain(word);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])('allows %s', (address) => {
    expect(judge(nothingAllowed, 'https://agent.example/', [address])).toBe('allowed');
  });

  it.each(['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'])(
    'sees through %s',
    (url) => {
      expect(judge(nothingAllowed, url)).toContain('loopback');
    },
  );

  it('refuses a name when one of its addresses is bad', () => {
    expect(judge(nothingAllowed, 'https://a.example/', ['8.8.8.8', '10.0.0.1'])).toContain(
      'private',
    );
  });

  it('refuses plain http, other schemes and users in URLs', () => {
    expect(judge(nothingAllowed, 'http://agent.example/')).toContain('plain http');
    expect(judge(nothingAllowed, 'ftp://agent.example/')).toContain('scheme ftp');
    expect(judge(nothingAllowed, 'https://user@agent.example/')).toContain('user');
    expect(judge(nothingAllowed, 'https://:secret@agent.example/')).toContain('user');
  });
});

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
