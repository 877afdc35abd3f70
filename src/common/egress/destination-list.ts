import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type IpAddress, isMetadataService, readAddress } from './address-ranges.js';
import { isUrl } from '../is-url.js';

/** Where a connection would go: what the policy judges. */
export interface Destination {
  readonly protocol: string;
  /** As in a URL: lower case, an IPv6 address in brackets. */
  readonly hostname: string;
  readonly port: number;
}

interface ListedHost {
  readonly kind: 'host';
  /** Exact name, or what follows `*` in a wildcard (`.example.com`). */
  readonly name: string;
  readonly wildcard: boolean;
  readonly port: number | undefined;
}

interface ListedNetwork {
  readonly kind: 'network';
  readonly address: IpAddress;
  readonly prefix: number;
  readonly port: number | undefined;
}

type Listed = ListedHost | ListedNetwork;

/** The forms of an entry, for messages. */
const FORMS = 'is not a network, an address, a host name or *.domain';

/**
 * Hosts and networks as settings name them:
 * - `10.0.0.0/8`, `fd00::/8`: a network; `10.1.2.3`, `::1`: one address;
 * - `agents.internal`: a host name; `*.agents.internal`: every name below it;
 * - any host or address with a port (`localhost:4001`, `10.1.2.3:8443`, `[::1]:8080`): that port only.
 */
export class DestinationList {
  private readonly listed: readonly Listed[];

  /** Throws an Error that names the setting and the entry, when one is not of the forms above. */
  constructor(setting: string, entries: readonly string[]) {
    this.listed = entries.map((entry) => parseEntry(entry, setting));
  }

  get hasNetworks(): boolean {
    return this.listed.some((entry) => entry.kind === 'network');
  }

  /** Whether an address is listed together with this port. */
  hasNetworkAt(port: number): boolean {
    return this.listed.some((entry) => entry.kind === 'network' && entry.port === port);
  }

  /** Whether the name itself is listed; with `portNamed`, together with its port. */
  hasHost({ hostname, port }: Destination, portNamed = false): boolean {
    const name = normalHost(hostname);
    return this.listed.some(
      (entry) =>
        entry.kind === 'host' &&
        fits(entry.port, port, portNamed) &&
        (entry.wildcard ? name.endsWith(entry.name) : name === entry.name),
    );
  }

  /** Whether the address is listed; one of a metadata service only by itself, not by its network. */
  hasAddress(address: IpAddress, port: number, portNamed = false): boolean {
    return this.listed.some((entry) => {
      if (entry.kind !== 'network' || entry.address.kind() !== address.kind()) return false;
      if (!fits(entry.port, port, portNamed)) return false;
      if (isMetadataService(address) && !isOne(entry)) return false;
      return address.match(entry.address, entry.prefix);
    });
  }

  /** Whether this very address is listed, not only a network around it. */
  hasExactly(address: IpAddress, port: number): boolean {
    return this.listed.some(
      (entry) =>
        entry.kind === 'network' &&
        entry.address.kind() === address.kind() &&
        isOne(entry) &&
        fits(entry.port, port, false) &&
        address.match(entry.address, entry.prefix),
    );
  }
}

/** A host name as it is compared: lower case, without the root's dot. */
export function normalHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

/** The address, when the host of a URL is one (brackets removed); undefined for a name. */
export function addressLiteral(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

function fits(listed: number | undefined, port: number, portNamed: boolean): boolean {
  return listed === port || (listed === undefined && !portNamed);
}

function isOne({ address, prefix }: ListedNetwork): boolean {
  return prefix === (address.kind() === 'ipv4' ? 32 : 128);
}

function parseEntry(entry: string, setting: string): Listed {
  const written = entry.trim();
  const wrong = (why: string): Error => new Error(`${setting}: "${entry}" ${why}`);
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
  if (bare === '' || bare.includes('*') || !isUrl(`https://${bare}/`)) throw wrong(FORMS);
  const url = new URL(`https://${bare}/`);
  if (url.host === '' || url.port !== '' || url.pathname !== '/' || url.username !== '') {
    throw wrong(FORMS);
  }
  const name = normalHost(url.hostname);
  return { kind: 'host', name: wildcard ? `.${name}` : name, wildcard, port };
}

function oneAddress(written: string, port: number | undefined): ListedNetwork {
  const address = readAddress(written) ?? ipaddr.parse(written);
  return { kind: 'network', address, prefix: address.kind() === 'ipv4' ? 32 : 128, port };
}

function splitPort(written: string): { host: string; port: number | undefined } {
  const match = /^(.*):(\d{1,5})$/.exec(written);
  return match
    ? { host: match[1] ?? '', port: Number(match[2]) }
    : { host: written, port: undefined };
}
