import { Injectable } from '@nestjs/common';
import { GrpcAddress } from './grpc-address.js';
import { PublicUrl } from './public-url.js';

/** Tells this hub from everybody else. */
@Injectable()
export class OwnAddress {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly grpc: GrpcAddress,
  ) {}

  /** Whether an http(s) URL is at or below `publicUrl`, or at a socket of this process that listens. */
  has(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { base, listening } = this.publicUrl;
    const grpc = this.grpc.listening;
    return (
      isBelow(url, base) ||
      isBelow(url, listening) ||
      (grpc !== undefined && hostOf(new URL(url)) === hostOf(new URL(`http://${grpc}`)))
    );
  }
}

/** Whether a URL is at the address `base` or below its path. */
export function isBelow(url: string, base: string): boolean {
  if (!URL.canParse(url)) return false;
  const [address, own] = [new URL(url), new URL(base)];
  const path = own.pathname.replace(/\/$/, '');
  const samePlace = address.protocol === own.protocol && hostOf(address) === hostOf(own);
  return samePlace && (address.pathname === path || address.pathname.startsWith(`${path}/`));
}

/** Host and port, with all names of this machine as one. */
export function hostOf(url: URL): string {
  const name = url.hostname.replace(/\.$/, '');
  const local = /^127\.|(^|\.)localhost$/.test(name) || ['[::1]', '0.0.0.0', '[::]'].includes(name);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${local ? 'localhost' : name}:${port}`;
}
