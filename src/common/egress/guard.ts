import {
  carriedBy,
  type IpAddress,
  isMetadataService,
  readAddress,
  refusalOfAddress,
} from './address-ranges.js';
import { BLOCKED_PORTS } from './blocked-ports.js';
import {
  addressLiteral,
  type Destination,
  DestinationList,
  normalHost,
} from './destination-list.js';
import { isUrl } from '../is-url.js';

/** A DNS name has no more characters (RFC 1035 §3.1). */
const LONGEST_NAME = 253;
const LONGEST_URL = 16 * 1024;
/** What a URL parser drops or takes for a slash, so that people and programs read different hosts. */
const AMBIGUOUS = /[\p{Cc}\\]/u;
const PLAIN_HTTP = 'plain http is for allowed hosts only; use https';

/**
 * Decides what the hub may connect to. Pure: it resolves nothing.
 *
 * Allowed is https to public addresses on ports that are not blocked. Everything else must be in the
 * allow-list, whose forms {@link DestinationList} tells:
 * - an allowed destination may be called by plain http too, and an allowed host name whatever it resolves
 *   to;
 * - metadata services of clouds need their exact address in the list; neither a network nor a host name
 *   opens them;
 * - an address that carries an IPv4 address (NAT64, 6to4, Teredo) is allowed by its network only when the
 *   carried address would be allowed as well;
 * - a blocked port needs an entry with that port.
 */
export class EgressPolicy {
  private readonly allowed: DestinationList;
  private readonly blockedPorts: ReadonlySet<number>;

  /**
   * `openPorts` are taken off the blocked ones; `setting` is where the list is from, for messages. Throws an
   * Error that names the setting and the entry, when one is not of the forms above.
   */
  constructor(
    allow: readonly string[],
    openPorts: readonly number[] = [],
    readonly setting = 'egress.allow',
  ) {
    this.allowed = new DestinationList(setting, allow);
    this.blockedPorts = new Set(BLOCKED_PORTS.filter((port) => !openPorts.includes(port)));
  }

  /** Why this text cannot be the address of anything, before it is read as a URL. */
  refusalOfText(url: string): string | undefined {
    if (url.length > LONGEST_URL) return `it is longer than ${LONGEST_URL} characters`;
    if (AMBIGUOUS.test(url)) return 'it holds a control character or a backslash';
    return isUrl(url) ? undefined : 'it is not an absolute URL';
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
    if (normalHost(destination.hostname).length > LONGEST_NAME) return 'its host name is too long';
    const hostAllowed = this.allowed.hasHost(destination);
    if (isLocalhost(destination) && !hostAllowed && !this.allowsLoopback(destination)) {
      return 'it is a loopback address';
    }
    if (url.protocol === 'http:' && !hostAllowed && !this.allowed.hasNetworks) return PLAIN_HTTP;
    // An entry of an address with this port may be the one that the name resolves to.
    return this.allowed.hasNetworkAt(destination.port)
      ? undefined
      : this.refusalOfPort(destination);
  }

  /**
   * Why the destination is refused when its host has these addresses; undefined when it is allowed.
   * Every address must pass, or a name with one good and one bad address could be used to get in.
   */
  refusalOf(destination: Destination, addresses: readonly string[]): string | undefined {
    const hostAllowed = this.allowed.hasHost(destination);
    const read: IpAddress[] = [];
    for (const written of addresses) {
      const address = readAddress(written);
      if (address === undefined) return 'its address cannot be read';
      read.push(address);
      if (this.allowsAddress(address, destination.port)) continue;
      if ([address, ...carriedBy(address)].some(isMetadataService)) {
        return 'it is a cloud metadata service';
      }
      if (hostAllowed) continue;
      const refusal = refusalOfAddress(address);
      if (refusal !== undefined) return refusal;
      if (destination.protocol === 'http:') return PLAIN_HTTP;
    }
    return this.refusalOfPort(destination, read);
  }

  /** Whether the name may be handed to a proxy that resolves it, unseen by the hub. */
  allowsName(destination: Destination): boolean {
    return this.allowed.hasHost(destination);
  }

  private allowsAddress(address: IpAddress, port: number): boolean {
    if (!this.allowed.hasAddress(address, port)) return false;
    const carried = carriedBy(address);
    return (
      carried.length === 0 ||
      this.allowed.hasExactly(address, port) ||
      carried.every((one) => {
        const isOpen = refusalOfAddress(one) === undefined && !isMetadataService(one);
        return isOpen || this.allowed.hasAddress(one, port);
      })
    );
  }

  private allowsLoopback({ port }: Destination): boolean {
    return ['127.0.0.1', '::1'].some((written) => {
      const address = readAddress(written);
      return address !== undefined && this.allowed.hasAddress(address, port);
    });
  }

  private refusalOfPort(
    destination: Destination,
    addresses: readonly IpAddress[] = [],
  ): string | undefined {
    const { port } = destination;
    if (!this.blockedPorts.has(port) || this.allowed.hasHost(destination, true)) return undefined;
    const named =
      addresses.length > 0 && addresses.every((one) => this.allowed.hasAddress(one, port, true));
    return named ? undefined : `port ${port} is of a service that does not speak http`;
  }
}

/** The destination of a URL. */
export function destinationOf(url: URL): Destination {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { protocol: url.protocol, hostname: url.hostname, port };
}

/** `localhost` and all below it mean this machine, whatever a resolver says (RFC 6761 §6.3). */
function isLocalhost({ hostname }: Destination): boolean {
  return /(^|\.)localhost$/.test(normalHost(hostname));
}
