import { isIP, type Socket } from 'node:net';
import { Networks } from '../common/networks.js';
import type { AppConfig } from '../config/index.js';
import type { RequestHeaders } from './credential.js';

/** Finds out which address a call comes from: that of its connection, or what listed proxies say of it. */
export class ClientAddress {
  private readonly proxies: Networks;

  constructor({ server }: Pick<AppConfig, 'server'>) {
    this.proxies = new Networks(server.trustedProxies);
  }

  /**
   * Undefined when it is not known. `X-Forwarded-For` is read from its end, where the nearest proxy writes, as long as the
   * writer is a listed one; what anybody else has written in it counts for nothing.
   */
  of(headers: RequestHeaders, socket: Socket | undefined): string | undefined {
    const nearest = socket?.remoteAddress;
    if (nearest === undefined || !this.proxies.has(nearest)) return nearest;
    const header = headers['x-forwarded-for'] ?? '';
    const hops = (typeof header === 'string' ? header : header.join(',')).split(',');
    for (const hop of hops.reverse()) {
      const address = addressIn(hop.trim());
      if (address === undefined || !this.proxies.has(address)) return address;
    }
    return undefined;
  }
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const address =
    /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  // A zone (`%eth0`) means something on another machine only.
  return isIP(address) !== 0 && !address.includes('%') ? address : undefined;
}
