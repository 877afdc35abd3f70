import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where a connection would go: what the policy judges. */
export interface Destination {
  readonly protocol: string;
  /** As in a URL: lower case, an IPv6 address in brackets. */
  readonly hostname: string;
  readonly port: number;
}

interface AllowedHost {
  readonly kind: 'host';
  /** Exact name, or what follows `*` in a wildcard (`.example.com`). */
  readonly name: string;
  readonly wildcard: boolean;
  readonly port: number | undefined;
}

interface AllowedNetwork {
  readonly kind: 'network';
  readonly address: ipaddr.IPv4 | ipaddr.IPv6;
  readonly prefix: number;
  readonly port: number | undefined;
}

type Allowed = AllowedHost | AllowedNetwork;

/**
 * Addresses at which clouds hand out credentials. Most lie in ranges that are refused anyway; they
 * are named so that an allowed network around them does not open them: only the exact address does.
 */
const METADATA_SERVICES: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
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

/**
 * Decides what the hub may connect to. Pure: it resolves nothing.
 *
 * Allowed is https to public addresses. Everything else must be in the allow-list:
 * - `10.0.0.0/8`, `fd00::/8`: a network; `10.1.2.3`, `::1`: one address;
 * - `agents.internal`: a host name, whatever it resolves to; `*.agents.internal`: every name below it;
 * - any host or address with a port (`localhost:4001`, `10.1.2.3:8443`, `[::1]:8080`): that port only.
 *
 * An allowed destination may be called by plain http too. Metadata services of clouds need their
 * exact address in the list; neither a network nor a host name opens them.
 */
export class EgressPolicy {
  private readonly allowed: readonly Allowed[];

  /** Throws an Error that names the entry, when one is not of the forms above. */
  constructor(allow: readonly string[]) {
    this.allowed = allow.map(parseAllowed);
  }

  /** Whether plain http could be right here, before any name is resolved. */
  get allowsNetworks(): boolean {
    return this.allowed.some((entry) => entry.kind === 'network');
  }

  /** Why the URL can never be called, whatever its host resolves to; undefined when it could be. */
  refusalOfUrl(url: URL): string | undefined {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      return `the scheme ${url.protocol.slice(0, -1)} is not http or https`;
    }
    if (url.username !== '' || url.password !== '') return 'a URL with user or password is refused';
    const destination = destinationOf(url);
    const literal = addressLiteral(destination.hostname);
    if (literal !== undefined) return this.refusalOf(destination, [literal]);
    if (url.protocol === 'http:' && !this.allowsHost(destination) && !this.allowsNetworks) {
      return PLAIN_HTTP;
    }
    return undefined;
  }

  /**
   * Why the destination is refused when its host has these addresses; undefined when it is allowed.
   * Every address must pass, or a name with one good and one bad address could be used to get in.
   */
  refusalOf(destination: Destination, addresses: readonly string[]): string | undefined {
    const hostAllowed = this.allowsHost(destination);
    for (const written of addresses) {
      const address = unwrap(written);
      if (address === undefined) return 'its address cannot be read';
      if (this.allowsAddress(address, destination.port)) continue;
      if (METADATA_SERVICES.has(address.toString())) return 'it is a cloud metadata service';
      if (hostAllowed) continue;
      const refusal = refusalOfAddress(address);
      if (refusal !== undefined) return refusal;
      if (destination.protocol === 'http:') return PLAIN_HTTP;
    }
    return undefined;
  }

  private allowsHost(destination: Destination): boolean {
    const name = normalHost(destination.hostname);
    return this.allowed.some(
      (entry) =>
        entry.kind === 'host' &&
        (entry.port === undefined || entry.port === destination.port) &&
        (entry.wildcard ? name.endsWith(entry.name) : name === entry.name),
    );
  }

  private allowsAddress(address: ipaddr.IPv4 | ipaddr.IPv6, port: number): boolean {
    const metadata = METADATA_SERVICES.has(address.toString());
    return this.allowed.some((entry) => {
      if (entry.kind !== 'network' || entry.address.kind() !== address.kind()) return false;
      if (entry.port !== undefined && entry.port !== port) return false;
      const bits = address.kind() === 'ipv4' ? 32 : 128;
      if (metadata && entry.prefix !== bits) return false;
      return address.match(entry.address, entry.prefix);
    });
  }
}

const PLAIN_HTTP = 'plain http is for allowed hosts only; use https';

/** The destination of a URL. */
export function destinationOf(url: URL): Destination {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { protocol: url.protocol, hostname: url.hostname, port };
}

/** The address, when the host of a URL is one (brackets removed); undefined for a name. */
export function addressLiteral(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** Why no hub should connect to this address by itself; undefined for a public one. */
function refusalOfAddress(address: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  const range = address.range();
  const isPublic =
    range === 'unicast' && (address.kind() === 'ipv4' || address.match(...GLOBAL_UNICAST));
  return isPublic ? undefined : `it is ${RANGE_WORDS[range] ?? 'a reserved address'}`;
}

/**
 * The address that is really meant: an IPv4 address inside an IPv6 one (`::ffff:127.0.0.1`,
 * `::127.0.0.1`) is taken out. Undefined when it is no address.
 */
function unwrap(written: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!ipaddr.isValid(written)) return undefined;
  const address = ipaddr.process(written);
  if (address.kind() === 'ipv4') return address;
  const bytes = address.toByteArray();
  const compatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes[12] !== 0;
  return compatible ? ipaddr.fromByteArray(bytes.slice(12)) : address;
}

function parseAllowed(entry: string): Allowed {
  const written = entry.trim();
  const wrong = (why: string): Error => new Error(`egress.allow: "${entry}" ${why}`);
  if (written.includes('/')) {
    if (!ipaddr.isValidCIDR(written)) throw wrong('is not a network (10.0.0.0/8)');
    const [address, prefix] = ipaddr.parseCIDR(written);
    return { kind: 'network', address, prefix, port: undefined };
  }
  if (isIP(written) !== 0) return oneAddress(written, undefined);
  const { host, port } = splitPort(written);
  if (port !== undefined && !(port >= 1 && port <= 65_535)) throw wrong('has no valid port');
  const literal = addressLiteral(host);
  if (literal !== undefined) return oneAddress(literal, port);
  const wildcard = host.startsWith('*.');
  const bare = wildcard ? host.slice(2) : host;
  if (bare === '' || bare.includes('*') || !URL.canParse(`https://${bare}/`)) {
    throw wrong('is not a network, an address, a host name or *.domain');
  }
  const url = new URL(`https://${bare}/`);
  if (url.host === '' || url.port !== '' || url.pathname !== '/' || url.username !== '') {
    throw wrong('is not a network, an address, a host name or *.domain');
  }
  const name = normalHost(url.hostname);
  return { kind: 'host', name: wildcard ? `.${name}` : name, wildcard, port };
}

function oneAddress(written: string, port: number | undefined): AllowedNetwork {
  const address = unwrap(written) ?? ipaddr.parse(written);
  return { kind: 'network', address, prefix: address.kind() === 'ipv4' ? 32 : 128, port };
}

function splitPort(written: string): { host: string; port: number | undefined } {
  const match = /^(.*):(\d{1,5})$/.exec(written);
  return match
    ? { host: match[1] ?? '', port: Number(match[2]) }
    : { host: written, port: undefined };
}

/** A host name as it is compared: lower case, without the root's dot. */
function normalHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}
