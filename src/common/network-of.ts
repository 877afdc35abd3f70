import { isIPv4, isIPv6 } from 'node:net';

/** Groups of an IPv6 address that name a network of 64 bits: one host may use all addresses in it. */
const NETWORK_GROUPS = 4;

/** Where a call came from, as far as it tells one party from another: the address without a port, of IPv6 its network. */
export function networkOf(address: string): string {
  const host = hostOf(address);
  const mapped = /^::ffff:(?<v4>[\d.]+)$/i.exec(host)?.groups?.['v4'];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(host)) return isIPv4(host) ? host : 'unknown';
  const [before = '', after] = host.split('%')[0]!.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** The network around a {@link networkOf}: of 24 bits for IPv4, of 48 for IPv6. */
export function widerNetworkOf(network: string): string {
  if (isIPv4(network)) return network.replace(/\d+$/, '0/24');
  const groups = network.split(':');
  return network.endsWith('::/64') ? `${groups.slice(0, 3).join(':')}::/48` : network;
}

/** Without the port that gRPC adds. */
function hostOf(address: string): string {
  const bracketed = /^\[(?<host>[^\]]+)\]/.exec(address)?.groups?.['host'];
  if (bracketed !== undefined) return bracketed;
  return /^(?<host>[\d.]+):\d+$/.exec(address)?.groups?.['host'] ?? address;
}
