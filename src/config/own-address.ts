import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { readAddress } from '../common/egress/address-ranges.js';
import { GrpcAddress } from './grpc-address.js';
import { PublicUrl } from './public-url.js';
import { isUrl } from '../common/is-url.js';

/** Tells this hub from everybody else. */
@Injectable()
export class OwnAddress {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly grpc: GrpcAddress,
  ) {}

  /** Whether an http(s) URL is at or below `publicUrl`, or at a socket of this process that listens. */
  has(url: string): boolean {
    if (!isUrl(url)) return false;
    const { base, listening } = this.publicUrl;
    const grpc = this.grpc.listening;
    return (
      isBelow(url, base) ||
      isBelow(url, listening) ||
      (grpc !== undefined && isSameHost(new URL(url), new URL(`http://${grpc}`)))
    );
  }
}

/** Whether a URL is at the address `base` or below its path. */
export function isBelow(url: string, base: string): boolean {
  if (!isUrl(url)) return false;
  const [address, own] = [new URL(url), new URL(base)];
  const path = own.pathname.replace(/\/$/, '');
  const samePlace = address.protocol === own.protocol && isSameHost(address, own);
  return samePlace && (address.pathname === path || address.pathname.startsWith(`${path}/`));
}

/**
 * Whether two URLs name the same host and port, with all names of this machine's loopback as one. An
 * `own` host that stands for all addresses of the machine is each of `machine` too.
 */
export function isSameHost(url: URL, own: URL, machine = machineAddresses()): boolean {
  if (portOf(url) !== portOf(own)) return false;
  const [name, ownName] = [nameOf(url), nameOf(own)];
  if (isLoopback(name) && isLoopback(ownName)) return true;
  return name === ownName || (isWildcard(ownName) && machine.includes(name));
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((some) =>
    (some ?? []).map(({ address }) => readAddress(address)?.toString() ?? address),
  );
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** The host name; an address as the guard reads it, so that one inside another is taken out. */
function nameOf({ hostname }: URL): string {
  const name = hostname.replace(/\.$/, '');
  return readAddress(name.replace(/^\[|\]$/g, ''))?.toString() ?? name;
}

function isWildcard(name: string): boolean {
  return name === '0.0.0.0' || name === '::';
}

/** A wildcard address reaches the loopback when it is called. */
function isLoopback(name: string): boolean {
  if (/(^|\.)localhost$/.test(name) || isWildcard(name)) return true;
  return readAddress(name)?.range() === 'loopback';
}
