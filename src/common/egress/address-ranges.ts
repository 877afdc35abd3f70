import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Addresses at which clouds hand out credentials. Most lie in ranges that are refused anyway; they
 * are named so that an allowed network around them does not open them: only the exact address does.
 */
const METADATA_SERVICES: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack …
  '169.254.170.2', // AWS: containers
  '169.254.170.23', // AWS: Kubernetes
  '168.63.129.16', // Azure
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS: Kubernetes
  'fd20:ce::254', // Google
  'fd00:c1::a9fe:a9fe', // Oracle
  'fd00:42::42', // Scaleway
  'fe80::a9fe:a9fe', // OpenStack
]);

/** The only part of IPv6 that is routed on the internet (RFC 4291 §2.4); the rest is refused. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** ipaddr.js' names of ranges, in words for people. Any other name reads `reserved`. */
const RANGE_WORDS: Readonly<Record<string, string>> = {
  unspecified: 'a wildcard address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: 'a carrier-grade NAT address',
  private: 'a private address',
  uniqueLocal: 'a private (unique local) address',
  deprecatedSiteLocal: 'a private (site-local) address',
  rfc6052: 'a NAT64 address',
  rfc6145: 'an IPv4-translated address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

type Places = readonly [number, number, number, number];

/**
 * Which bytes an IPv4 address has behind a NAT64 prefix of 48, 56, 64 and 96 bits (RFC 6052 §2.2). Byte 8
 * is left free by all of them.
 */
const NAT64_PLACES: readonly Places[] = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/** Where IPv6 addresses of a range may carry an IPv4 address; Teredo inverts its bytes. */
const CARRIERS: readonly {
  readonly range: [ipaddr.IPv6, number];
  readonly at: readonly Places[];
  readonly inverted?: boolean;
}[] = [
  { range: [ipaddr.IPv6.parse('64:ff9b::'), 96], at: [[12, 13, 14, 15]] },
  // RFC 8215: each network takes prefixes of any length out of it, and an address does not tell which.
  { range: [ipaddr.IPv6.parse('64:ff9b:1::'), 48], at: NAT64_PLACES },
  { range: [ipaddr.IPv6.parse('::ffff:0:0:0'), 96], at: [[12, 13, 14, 15]] },
  { range: [ipaddr.IPv6.parse('2002::'), 16], at: [[2, 3, 4, 5]] },
  { range: [ipaddr.IPv6.parse('2001::'), 32], at: [[12, 13, 14, 15]], inverted: true },
];

/**
 * The address that is really meant: an IPv4 address inside an IPv6 one (`::ffff:127.0.0.1`,
 * `::127.0.0.1`) is taken out, a zone (`%eth0`) is left out. Undefined when it is no address.
 */
export function readAddress(written: string): IpAddress | undefined {
  const bare = written.replace(/%.*$/s, '');
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return address;
  const bytes = address.toByteArray();
  const compatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes[12] !== 0;
  return compatible ? ipaddr.fromByteArray(bytes.slice(12)) : address;
}

/**
 * Every IPv4 address that a translator or tunnel on the way may take this address for (NAT64, 6to4,
 * Teredo, IPv4-translated): one that is forbidden forbids them all. Empty for an address that is itself.
 */
export function carriedBy(address: IpAddress): readonly IpAddress[] {
  if (address.kind() === 'ipv4') return [];
  const bytes = address.toByteArray();
  const carrier = CARRIERS.find(({ range }) => address.match(...range));
  const found = (carrier?.at ?? []).map((places) =>
    places.map((place) => (bytes[place] ?? 0) ^ (carrier?.inverted ? 0xff : 0)),
  );
  // Readings with another length than the translator's begin in its zeros, and 0.0.0.0/8 is no host
  // that a packet could be brought to.
  const meant = found.filter(([first]) => first !== 0);
  return (meant.length > 0 ? meant : found).map((four) => ipaddr.fromByteArray(four));
}

export function isMetadataService(address: IpAddress): boolean {
  return METADATA_SERVICES.has(address.toString());
}

/** Why no hub should connect to this address by itself; undefined for a public one. */
export function refusalOfAddress(address: IpAddress): string | undefined {
  const range = address.range();
  const isPublic =
    range === 'unicast' && (address.kind() === 'ipv4' || address.match(...GLOBAL_UNICAST));
  return isPublic ? undefined : `it is ${RANGE_WORDS[range] ?? 'a reserved address'}`;
}
