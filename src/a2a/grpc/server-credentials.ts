import { type experimental as Experimental, ServerCredentials, experimental } from '@grpc/grpc-js';
import { plainPem } from '../../common/tls/pem.js';
import type { FollowedTls } from '../../config/index.js';

type Provider = Experimental.CertificateProvider;

/** What the gRPC server speaks: plain text, or TLS with the certificates that are in force, for new connections. */
export function serverCredentials(tls: FollowedTls): ServerCredentials {
  if (tls.texts.certificate === null) return ServerCredentials.createInsecure();
  const provider = new FollowingProvider(tls);
  const authorities = tls.texts.clientCa === null ? null : provider;
  // Callers without a certificate, or with a wrong one, are served too: a key may be in their metadata.
  // The first one gives the certificate, whatever the library calls it.
  return experimental.createCertificateProviderServerCredentials(provider, authorities, false);
}

function pemOf(certificates: string | null): Buffer {
  return Buffer.from(certificates === null ? '' : plainPem(certificates));
}

/** Tells the library's server of the certificates in force, and of each change. */
class FollowingProvider implements Provider {
  private readonly authorities = new Set<Experimental.CaCertificateUpdateListener>();
  private readonly identities = new Set<Experimental.IdentityCertificateUpdateListener>();

  constructor(private readonly tls: FollowedTls) {
    tls.onChange(() => {
      for (const listener of this.authorities) this.reportAuthorities(listener);
      for (const listener of this.identities) this.reportIdentity(listener);
    });
  }

  /** The library is ready for the answer only after this call. */
  addCaCertificateListener(listener: Experimental.CaCertificateUpdateListener): void {
    this.authorities.add(listener);
    process.nextTick(() => this.reportAuthorities(listener));
  }

  removeCaCertificateListener(listener: Experimental.CaCertificateUpdateListener): void {
    this.authorities.delete(listener);
  }

  addIdentityCertificateListener(listener: Experimental.IdentityCertificateUpdateListener): void {
    this.identities.add(listener);
    process.nextTick(() => this.reportIdentity(listener));
  }

  removeIdentityCertificateListener(
    listener: Experimental.IdentityCertificateUpdateListener,
  ): void {
    this.identities.delete(listener);
  }

  private reportAuthorities(listener: Experimental.CaCertificateUpdateListener): void {
    listener({ caCertificate: pemOf(this.tls.texts.clientCa) });
  }

  private reportIdentity(listener: Experimental.IdentityCertificateUpdateListener): void {
    const { certificate, key } = this.tls.texts;
    listener({
      certificate: pemOf(certificate),
      privateKey: Buffer.from(key ?? ''),
    });
  }
}
