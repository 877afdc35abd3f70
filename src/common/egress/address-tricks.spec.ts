import { describe, expect, it } from '@jest/globals';
import { EgressPolicy, destinationOf } from './guard.js';

/** To add a trick, add a line: what is called (or resolved to), and a word of the refusal. */
type Trick = readonly [written: string, refusal: string];

const IPV4: readonly Trick[] = [
  ['0.0.0.0', 'wildcard'],
  ['0.1.2.3', 'wildcard'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.0', 'carrier-grade'],
  ['100.127.255.255', 'carrier-grade'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.0.1', 'link-local'],
  ['169.254.255.255', 'link-local'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.1', 'reserved'],
  ['192.0.0.170', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['192.168.255.255', 'private'],
  ['198.18.0.1', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['198.51.100.1', 'reserved'],
  ['203.0.113.1', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.250', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
];

const METADATA: readonly Trick[] = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '169.254.0.23',
  '169.254.42.42',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fe80::a9fe:a9fe',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1:a9fe:a9:fe00::',
  '64:ff9b:1::169.254.169.254',
  '64:ff9b:1:aaa9:fe:a9fe::',
  '64:ff9b:1:a9:fe:a9fe::',
  '64:ff9b:1:aaaa:a9:fea9:fe00:0',
  '::ffff:0:169.254.169.254',
  '2002:a9fe:a9fe::1',
  '2001:0:4136:e378:8000:63bf:5601:5601',
].map((address) => [address, 'metadata'] as const);

const IPV6: readonly Trick[] = [
  ['::', 'wildcard'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  // IPv4 inside: mapped, compatible, translated
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:10.0.0.1', 'private'],
  ['::ffff:0.0.0.0', 'wildcard'],
  ['::127.0.0.1', 'loopback'],
  ['::192.168.0.1', 'private'],
  ['::ffff:0:10.0.0.1', 'IPv4-translated'],
  // NAT64, well-known and local
  ['64:ff9b::10.0.0.1', 'NAT64'],
  ['64:ff9b::8.8.8.8', 'NAT64'],
  ['64:ff9b:1::1', 'NAT64'],
  ['64:ff9b:1:a00:0:100::', 'NAT64'],
  ['64:ff9b:1:aaaa:a:0:100:0', 'NAT64'],
  // tunnels
  ['2002:7f00:1::', '6to4'],
  ['2002:808:808::1', '6to4'],
  ['2001::1', 'Teredo'],
  ['2001:0:4136:e378:8000:63bf:f5ff:fffe', 'Teredo'],
  // local
  ['fc00::1', 'private'],
  ['fdff:ffff::1', 'private'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['ff0e::1', 'multicast'],
  // reserved: discard-only, ORCHID, benchmark, documentation, drone ids, SRv6, unassigned
  ['100::1', 'reserved'],
  ['100:0:0:1::1', 'reserved'],
  ['2001:2::1', 'reserved'],
  ['2001:10::1', 'reserved'],
  ['2001:20::1', 'reserved'],
  ['2001:30::1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['8000::1', 'reserved'],
  ['1::1', 'reserved'],
];

/** Spellings that only a resolver could give: a URL with them is no URL, or means the same. */
const RESOLVED: readonly Trick[] = [
  ['fe80::1%eth0', 'link-local'],
  ['fe80::a9fe:a9fe%eth0', 'metadata'],
  ['::1%lo', 'loopback'],
  ['0177.0.0.1', 'loopback'],
  ['0x7f.0.0.1', 'loopback'],
  ['2130706433', 'loopback'],
  ['localhost', 'cannot be read'],
  ['', 'cannot be read'],
  ['8.8.8.8 ', 'cannot be read'],
  ['8.8.8.8, 10.0.0.1', 'cannot be read'],
];

const URLS: readonly Trick[] = [
  // numbers for IPv4
  ['http://2130706433', 'loopback'],
  ['https://2130706433/', 'loopback'],
  ['https://017700000001/', 'loopback'],
  ['https://0x7f000001/', 'loopback'],
  ['https://0x7F.1/', 'loopback'],
  ['https://0177.0.0.1/', 'loopback'],
  ['https://0177.0x0.1/', 'loopback'],
  ['https://127.1/', 'loopback'],
  ['https://127.0.1/', 'loopback'],
  ['https://127.0.0.1./', 'loopback'],
  ['https://127.0.0.1.:443/', 'loopback'],
  ['https://0/', 'wildcard'],
  ['https://0x0/', 'wildcard'],
  ['https://2852039166/', 'metadata'],
  ['https://0251.0376.0251.0376/', 'metadata'],
  ['https://4294967295/', 'broadcast'],
  ['https://4294967296/', 'not an absolute URL'],
  ['https://127.0.0.256/', 'not an absolute URL'],
  ['https://1.2.3.4.5/', 'not an absolute URL'],
  // other digits, dots and letters
  ['https://１２７.０.０.１/', 'loopback'],
  ['https://①②⑦.⓪.⓪.①/', 'loopback'],
  ['https://127。0．0｡1/', 'loopback'],
  ['https://%31%32%37.0.0.1/', 'loopback'],
  ['https://127%2e0%2e0%2e1/', 'loopback'],
  ['https://%6c%6f%63alhost/', 'loopback'],
  ['https://ⓛocalhost/', 'loopback'],
  ['https://ｌｏｃａｌｈｏｓｔ/', 'loopback'],
  ['https://loc\u00adalhost/', 'loopback'],
  // names of this machine
  ['https://localhost/', 'loopback'],
  ['https://LocalHost:8443/', 'loopback'],
  ['https://localhost./', 'loopback'],
  ['https://a.localhost/', 'loopback'],
  ['https://a.b.LOCALHOST./', 'loopback'],
  // IPv6
  ['https://[::1]/', 'loopback'],
  ['https://[::ffff:7f00:1]:8443/', 'loopback'],
  ['https://[0000:0000:0000:0000:0000:0000:0000:0001]/', 'loopback'],
  ['https://[fe80::1%25eth0]/', 'not an absolute URL'],
  ['https://[::1%lo]/', 'not an absolute URL'],
  ['https://::1/', 'not an absolute URL'],
  // users
  ['https://user@agent.example/', 'user or password'],
  ['https://user:secret@agent.example/', 'user or password'],
  ['https://:secret@agent.example/', 'user or password'],
  ['https://8.8.8.8@127.0.0.1/', 'user or password'],
  ['https://agent.example%40127.0.0.1/', 'not an absolute URL'],
  // what parsers read differently
  ['https://agent.example\\@127.0.0.1/', 'backslash'],
  ['https:\\\\127.0.0.1\\', 'backslash'],
  ['https://agent.example/\\..', 'backslash'],
  ['https://127.0\t.0.1/', 'control character'],
  ['https://127.0.0.1\n/', 'control character'],
  ['\u0000https://agent.example/', 'control character'],
  ['https://agent.example/a\r\nHost: b', 'control character'],
  ['https://agent.example/\u0085', 'control character'],
  // other schemes and no scheme
  ['http://agent.example/', 'plain http'],
  ['HTTP://agent.example/', 'plain http'],
  ['ftp://agent.example/', 'scheme ftp'],
  ['file:///etc/passwd', 'scheme file'],
  ['data:,hello', 'scheme data'],
  ['gopher://agent.example/', 'scheme gopher'],
  ['ws://agent.example/', 'scheme ws'],
  ['javascript:alert(1)', 'scheme javascript'],
  ['//agent.example/', 'not an absolute URL'],
  ['agent.example', 'not an absolute URL'],
  ['', 'not an absolute URL'],
  ['https://', 'not an absolute URL'],
  ['https:///', 'not an absolute URL'],
  // ports
  ['https://agent.example:0/', 'port 0'],
  ['https://agent.example:22/', 'port 22'],
  ['https://agent.example:25/', 'port 25'],
  ['https://8.8.8.8:465/', 'port 465'],
  ['https://agent.example:6379/', 'port 6379'],
  ['https://agent.example:0011211/', 'port 11211'],
  ['https://agent.example:65536/', 'not an absolute URL'],
  ['https://agent.example:-1/', 'not an absolute URL'],
  // sizes
  [`https://${'a.'.repeat(127)}example/`, 'too long'],
  [`https://agent.example/${'a'.repeat(17_000)}`, 'longer than'],
];

function judge(policy: EgressPolicy, url: string, resolved: readonly string[] = []): string {
  const unreadable = policy.refusalOfText(url);
  if (unreadable !== undefined) return unreadable;
  const parsed = new URL(url);
  const refusal = policy.refusalOfUrl(parsed);
  if (refusal !== undefined || resolved.length === 0) return refusal ?? 'allowed';
  return policy.refusalOf(destinationOf(parsed), resolved) ?? 'allowed';
}

describe('address tricks, when nothing is allowed by name', () => {
  const policy = new EgressPolicy([]);

  it.each([...IPV4, ...METADATA, ...IPV6])('refuses %s as %s', (address, word) => {
    const literal = address.includes(':') ? `[${address}]` : address;
    expect(judge(policy, `https://${literal}/`)).toContain(word);
    expect(judge(policy, 'https://agent.example/', [address])).toContain(word);
    expect(judge(policy, 'https://agent.example/', ['8.8.8.8', address])).toContain(word);
  });

  it.each(RESOLVED)('refuses a name that resolves to %j as %s', (address, word) => {
    expect(judge(policy, 'https://agent.example/', [address])).toContain(word);
    expect(judge(policy, 'https://agent.example/', ['8.8.8.8', address])).toContain(word);
  });

  it.each(URLS)('refuses %j as %s', (url, word) => {
    expect(judge(policy, url, ['8.8.8.8'])).toContain(word);
  });

  it.each([
    'https://agent.example/',
    'https://AGENT.example./path?query#fragment',
    'https://agent.example:8443/',
    'https://münchen.example/',
    'https://xn--mnchen-3ya.example/',
    'https://notlocalhost/',
    'https://localhost.example/',
    'https://agent.example/a%5C%0A',
    'https://8.8.8.8/',
    'https://134744072/',
    'https://[2606:4700::1111]/',
    'https://[::ffff:8.8.8.8]/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    `https://${'a'.repeat(60)}.example/`,
  ])('allows %s', (url) => {
    expect(judge(policy, url, ['8.8.8.8', '2606:4700::1111'])).toBe('allowed');
  });

  it('judges hundreds of addresses of one name, however late the bad one comes', () => {
    const many = Array.from({ length: 500 }, (_, n) => `8.8.${n >> 8}.${n & 255}`);
    expect(judge(policy, 'https://agent.example/', many)).toBe('allowed');
    expect(judge(policy, 'https://agent.example/', [...many, '10.0.0.1'])).toContain('private');
  });
});

describe('what an entry of egress.allow does not open', () => {
  it.each<[string, string, string[], string]>([
    ['10.0.0.0/8', 'https://[64:ff9b::10.0.0.1]/', [], 'NAT64'],
    ['64:ff9b::/96', 'https://[64:ff9b::10.0.0.1]/', [], 'NAT64'],
    ['64:ff9b::/96', 'https://[64:ff9b::169.254.169.254]/', [], 'metadata'],
    // The length of a translator's prefix is not in the address: one bad reading of four is enough.
    ['64:ff9b:1::/48', 'https://[64:ff9b:1:a00:0:100::]/', [], 'NAT64'],
    ['64:ff9b::/96', 'https://[64:ff9b::168.63.129.16]/', [], 'metadata'],
    ['64:ff9b:1::/48', 'https://[64:ff9b:1:aaa8:3f:8110::]/', [], 'metadata'],
    ['64:ff9b:1::/48', 'https://[64:ff9b:1:aa0a::100:0:0]/', [], 'NAT64'],
    ['64:ff9b:1::/48', 'https://[64:ff9b:1:aaaa:a:0:100:0]/', [], 'NAT64'],
    ['64:ff9b:1::/48', 'https://[64:ff9b:1:aaaa::10.0.0.1]/', [], 'NAT64'],
    ['64:ff9b:1::/48', 'https://[64:ff9b:1:aaaa:7f:0:100:0]/', [], 'NAT64'],
    ['64:ff9b:1::/48', 'https://[64:ff9b:1:aaa9:fe:a9fe::]/', [], 'metadata'],
    ['64:ff9b:1:aa00::/56', 'https://[64:ff9b:1:aaa9:fe:a9fe::]/', [], 'metadata'],
    ['64:ff9b:1::/48', 'https://agent.example/', ['64:ff9b:1:aaaa:a9:fea9:fe00:0'], 'metadata'],
    ['agents.internal', 'http://agents.internal/', ['64:ff9b:1:aaa9:fe:a9fe::'], 'metadata'],
    ['2002::/16', 'https://[2002:7f00:1::]/', [], '6to4'],
    ['169.254.0.0/16', 'http://169.254.169.254/', [], 'metadata'],
    ['fe80::/10', 'https://agent.example/', ['fe80::a9fe:a9fe%eth0'], 'metadata'],
    ['*.internal', 'http://metadata.google.internal/', ['169.254.169.254'], 'metadata'],
    ['metadata.google.internal', 'http://metadata.google.internal/', ['fd20:ce::254'], 'metadata'],
    ['10.0.0.0/8', 'http://10.0.0.1:6379/', [], 'port 6379'],
    ['10.0.0.1', 'http://10.0.0.1:25/', [], 'port 25'],
    ['agents.internal', 'http://agents.internal:22/', ['10.0.0.1'], 'port 22'],
    ['10.0.0.0/8', 'http://localhost/', ['127.0.0.1'], 'loopback'],
    ['127.0.0.1:4001', 'http://localhost:4002/', ['127.0.0.1'], 'loopback'],
    ['10.0.0.0/8', 'https://user@10.0.0.1/', [], 'user or password'],
  ])('%s does not open %s %j', (entry, url, resolved, word) => {
    expect(judge(new EgressPolicy([entry]), url, resolved)).toContain(word);
  });

  it.each<[string, string, string[]]>([
    ['64:ff9b::/96', 'https://agent.example/', ['64:ff9b::8.8.8.8']],
    ['64:ff9b:1::/48', 'https://agent.example/', ['64:ff9b:1:808:8:800::']],
    ['64:ff9b:1::/48', 'https://agent.example/', ['64:ff9b:1:aa08:8:808::']],
    ['64:ff9b:1::/48', 'https://agent.example/', ['64:ff9b:1:aaaa:8:808:800:0']],
    ['64:ff9b:1::/48', 'https://agent.example/', ['64:ff9b:1::8.8.8.8']],
    ['64:ff9b:1::/48', 'https://agent.example/', ['64:ff9b:1:aaaa::8.8.8.8']],
    ['64:ff9b::a00:1', 'https://[64:ff9b::10.0.0.1]/', []],
    ['169.254.169.254', 'http://169.254.169.254/', []],
    ['10.0.0.1:25', 'http://10.0.0.1:25/', []],
    ['agents.internal:22', 'http://agents.internal:22/', ['10.0.0.1']],
    ['10.0.0.1:22', 'http://agents.internal:22/', ['10.0.0.1']],
    ['127.0.0.0/8', 'http://localhost/', ['127.0.0.1']],
    ['localhost', 'http://localhost/', ['::1', '127.0.0.1']],
  ])('%s opens %s %j', (entry, url, resolved) => {
    expect(judge(new EgressPolicy([entry]), url, resolved)).toBe('allowed');
  });

  it('opens NAT64 of an allowed private network together with it', () => {
    const policy = new EgressPolicy(['64:ff9b::/96', '10.0.0.0/8']);
    expect(judge(policy, 'https://[64:ff9b::10.0.0.1]/')).toBe('allowed');
    expect(judge(policy, 'https://[64:ff9b::192.168.0.1]/')).toContain('NAT64');
  });

  it('opens ports for every destination by egress.openPorts', () => {
    const policy = new EgressPolicy([], [6379]);
    expect(judge(policy, 'https://agent.example:6379/', ['8.8.8.8'])).toBe('allowed');
    expect(judge(policy, 'https://agent.example:25/', ['8.8.8.8'])).toContain('port 25');
  });
});
