import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses and CIDR blocks, to ask whether an address is among them. */
export class Networks {
  private readonly listed = new BlockList();

  /** Entries without a fault; see {@link faultOf}. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', prefix] = entry.split('/');
      const version = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.listed.addAddress(address, version);
      else this.listed.addSubnet(address, Number(prefix), version);
    }
  }

  /** What is wrong with the first entry that is neither, as the end of a sentence. */
  static faultOf(entries: readonly string[]): string | undefined {
    for (const entry of entries) {
      if (isIP(entry) !== 0) continue;
      if (!ipaddr.isValidCIDR(entry))
        return `"${entry}" is neither an address nor a CIDR block (10.0.0.0/8)`;
      if (entry.endsWith('/0')) return `"${entry}" is every address there is`;
    }
    return undefined;
  }

  /** An IPv4 address inside an IPv6 one (`::ffff:10.1.2.3`) is the IPv4 address. */
  has(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const plain = ipaddr.process(address);
    return this.listed.check(plain.toString(), plain.kind());
  }
}
