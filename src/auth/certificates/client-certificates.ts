import { hash, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { isAhead } from '../../common/is-ahead.js';
import { Networks } from '../../common/networks.js';
import { chainFault, MAX_INTERMEDIATES, UNTRUSTED } from '../../common/tls/certificate-chain.js';
import { certificatesIn } from '../../common/tls/pem.js';
import { AppConfig, type CertificateCaller, ListenerTls } from '../../config/index.js';
import type { RequestHeaders } from '../credential.js';
import { factsOf } from './certificate-facts.js';
import {
  type CertificateChain,
  chainInHeaders,
  CLIENT_CERT,
  CLIENT_CERT_CHAIN,
  namesCertificate,
} from './client-cert-header.js';
import { matchCertificate } from './match-certificate.js';

/** The connection that a call came by. */
export interface CallerConnection {
  /** The listener, which has authorities of its own. */
  readonly listener: 'http' | 'grpc';
  /** Undefined when it is not known: nothing it says of a certificate counts then. */
  readonly socket: Socket | undefined;
  /** The headers as they came, name and value in turns, where the server shows only one of a name. */
  readonly rawHeaders?: readonly string[];
}

/** A caller whose certificate is verified, and whom the settings know. */
export interface CertifiedCaller {
  readonly entry: CertificateCaller;
  /** The name of the certificate by which it fits the entry. */
  readonly subject: string;
  /** When the first certificate of its chain ends. */
  readonly until: Date;
  /** The listener whose authorities vouch for it. */
  readonly listener: CallerConnection['listener'];
  readonly chain: CertificateChain;
}

/** A chain that was looked at, under these authorities. */
interface Examined {
  readonly authorities: string;
  readonly chain: CertificateChain;
  readonly fault: string | undefined;
  /** Its authorities may end meanwhile: it is looked at again then. */
  readonly again: Date;
}

/** How long a chain is believed. */
const BELIEVED_MS = 60_000;
/** Chains remembered at once, of each kind. */
const REMEMBERED = 1000;

/** Node 24.21, and 26.8 and some after it, verify intermediate certificates and do not show them (nodejs/node#65579). */
const UNSHOWN =
  '; if it came with intermediate certificates, the version of Node may not show them: see docs/tls.md';

/** Finds out whose certificate a call shows: in its TLS connection, or in the headers of a proxy that ended TLS. */
@Injectable()
export class ClientCertificates {
  private readonly entries: readonly CertificateCaller[];
  private readonly proxies: Networks;
  private readonly bySocket = new WeakMap<Socket, Examined>();
  /** By the digest of the headers, oldest first. */
  private readonly byHeaders = new Map<string, Examined>();
  /** What came with a certificate when it was shown in full, by its fingerprint: a resumed session shows it alone. */
  private readonly intermediates = new Map<string, readonly X509Certificate[]>();
  private readonly parsed = new Map<string, readonly X509Certificate[]>();

  constructor(
    { auth }: AppConfig,
    private readonly tls: ListenerTls,
    private readonly clock: Clock,
  ) {
    this.entries = auth.certificates;
    this.proxies = new Networks(auth.certificateProxies);
  }

  /** Whether callers of this listener may show a certificate. */
  areTakenOn(listener: CallerConnection['listener']): boolean {
    return this.entries.length > 0 && this.tls[listener].texts.clientCa !== null;
  }

  /** Whether callers may show one at all. */
  get areTaken(): boolean {
    return this.areTakenOn('http') || this.areTakenOn('grpc');
  }

  /** Rejects with INVALID_REQUEST a certificate in headers that come from no listed proxy. */
  refuseForged({ socket }: CallerConnection, headers: RequestHeaders): void {
    if (this.entries.length === 0 || !namesCertificate(headers) || this.isProxy(socket)) return;
    throw new HubError(
      'INVALID_REQUEST',
      'Client-Cert and Client-Cert-Chain are taken from the proxies of auth.certificateProxies alone; this connection comes from another address.',
      { refusal: { cause: 'forged-certificate' } },
    );
  }

  /**
   * Who shows a certificate; undefined when none is shown. Throws UNAUTHENTICATED for one that is not verified, does not
   * count now or is of nobody known, INVALID_REQUEST for headers of a proxy that are wrong. Those of others say nothing.
   */
  callerOf(connection: CallerConnection, headers: RequestHeaders): CertifiedCaller | undefined {
    const { clientCa } = this.tls[connection.listener].texts;
    if (this.entries.length === 0 || clientCa === null) return undefined;
    // A certificate of the proxy itself says nothing of who calls through it.
    const examined = this.isProxy(connection.socket)
      ? this.inHeaders(headers, clientCa)
      : this.inConnection(connection.socket, clientCa);
    if (examined === undefined) return undefined;
    const { chain, fault } = examined;
    if (fault !== undefined) throw refused(fault);
    const now = this.clock.now();
    const found = matchCertificate(factsOf(chain.own), this.entries, now);
    if ('why' in found) throw refused(found.why);
    const until = endOf(chain);
    if (until <= now) throw refused('is signed by one that has expired');
    return { ...found, until, listener: connection.listener, chain };
  }

  /** Throws UNAUTHENTICATED when the authorities of a listener do not vouch for a chain any more. */
  refuseUntrusted(listener: CallerConnection['listener'], chain: CertificateChain): void {
    const { clientCa } = this.tls[listener].texts;
    const fault =
      clientCa === null
        ? 'is not asked for any more'
        : chainFault(
            chain.own,
            chain.intermediates,
            this.authoritiesIn(clientCa),
            this.clock.now(),
          );
    if (fault !== undefined) throw refused(fault);
  }

  private isProxy(socket: Socket | undefined): boolean {
    return socket?.remoteAddress !== undefined && this.proxies.has(socket.remoteAddress);
  }

  private inHeaders(headers: RequestHeaders, clientCa: string): Examined | undefined {
    if (!namesCertificate(headers)) return undefined;
    const written = JSON.stringify([headers[CLIENT_CERT], headers[CLIENT_CERT_CHAIN]]);
    const digest = hash('sha256', written, 'base64');
    const known = this.byHeaders.get(digest);
    if (known !== undefined && this.counts(known, clientCa)) return known;
    const examined = this.examine(known?.chain ?? readHeaders(headers), clientCa);
    remember(this.byHeaders, digest, examined);
    return examined;
  }

  private inConnection(socket: Socket | undefined, clientCa: string): Examined | undefined {
    if (socket === undefined) return undefined;
    const known = this.bySocket.get(socket);
    if (known !== undefined && this.counts(known, clientCa)) return known;
    const tls = socket as Partial<TLSSocket> & Socket;
    const own = tls.getPeerX509Certificate?.();
    if (own === undefined) return undefined;
    const chain = known?.chain ?? { own, intermediates: this.intermediatesOf(own) };
    const examined = this.examine(chain, clientCa);
    // The library has verified it too, and that the caller has its key.
    const isAuthorized = tls.authorized === true;
    let fault = examined.fault ?? (isAuthorized ? undefined : wordsOf(tls));
    if (examined.fault === UNTRUSTED && isAuthorized && chain.intermediates.length === 0) {
      fault = `${UNTRUSTED}${UNSHOWN}`;
    }
    const result = { ...examined, fault };
    this.bySocket.set(socket, result);
    return result;
  }

  private intermediatesOf(own: X509Certificate): readonly X509Certificate[] {
    const chain: X509Certificate[] = [];
    for (let next = own.issuerCertificate; next !== undefined; next = next.issuerCertificate) {
      if (chain.length > MAX_INTERMEDIATES || next.fingerprint256 === chain.at(-1)?.fingerprint256)
        break;
      chain.push(next);
    }
    const { fingerprint256 } = own;
    if (chain.length === 0) return this.intermediates.get(fingerprint256) ?? [];
    remember(this.intermediates, fingerprint256, chain);
    return chain;
  }

  private authoritiesIn(clientCa: string): readonly X509Certificate[] {
    let authorities = this.parsed.get(clientCa);
    if (authorities === undefined) {
      // Those of before are not asked again.
      if (this.parsed.size >= 2) this.parsed.clear();
      authorities = certificatesIn(clientCa);
      this.parsed.set(clientCa, authorities);
    }
    return authorities;
  }

  private examine(chain: CertificateChain, clientCa: string): Examined {
    const { own, intermediates } = chain;
    const authorities = this.authoritiesIn(clientCa);
    const fault = chainFault(own, intermediates, authorities, this.clock.now());
    const again = new Date(this.clock.now().getTime() + BELIEVED_MS);
    return { authorities: clientCa, chain, fault, again };
  }

  private counts(known: Examined, clientCa: string): boolean {
    const [again, now] = [known.again.getTime(), this.clock.now().getTime()];
    return known.authorities === clientCa && isAhead(again, now, BELIEVED_MS);
  }
}

function readHeaders(headers: RequestHeaders): CertificateChain {
  try {
    return chainInHeaders(headers);
  } catch (error) {
    throw new HubError('INVALID_REQUEST', `${(error as Error).message}.`, { cause: error });
  }
}

function refused(fault: string): HubError {
  return new HubError('UNAUTHENTICATED', `The client certificate ${fault}.`, {
    refusal: { cause: 'refused-certificate' },
  });
}

function wordsOf({ authorizationError }: Partial<TLSSocket>): string {
  return `is not verified (${String(authorizationError ?? 'unknown')})`;
}

function endOf({ own, intermediates }: CertificateChain): Date {
  const ends = [own, ...intermediates].map(({ validTo }) => new Date(validTo).getTime());
  return new Date(Math.min(...ends));
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  evictOldest(map, REMEMBERED);
  map.set(key, value);
}
