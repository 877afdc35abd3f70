import { Injectable } from '@nestjs/common';
import { AppConfig } from './app-config.js';

/** Where the gRPC server of this process is; everything undefined or false when it is switched off. */
@Injectable()
export class GrpcAddress {
  private port: number | undefined;

  constructor(private readonly config: AppConfig) {}

  /** Called by the server when its socket listens. */
  bound(port: number): void {
    this.port = port;
  }

  /**
   * `host:port` as clients reach the server: of `grpc.publicUrl`, else the host of `publicUrl`, else the
   * listening host, with the server's port. With `grpc.port: -1` undefined until the server listens.
   */
  get target(): string | undefined {
    if (!this.isServed) return undefined;
    const { grpc, publicUrl, server } = this.config;
    if (grpc.publicUrl !== null) return targetOf(new URL(grpc.publicUrl));
    const host = publicUrl === null ? bracketed(server.host) : new URL(publicUrl).hostname;
    return this.actualPort === undefined ? undefined : `${host}:${this.actualPort}`;
  }

  /** Whether clients speak TLS to {@link target}. */
  get secure(): boolean {
    const { publicUrl, tlsCertificate } = this.config.grpc;
    if (!this.isServed) return false;
    return publicUrl === null ? tlsCertificate !== null : publicUrl.startsWith('https:');
  }

  /** The address of the listening socket, whatever is configured as public; undefined before it listens. */
  get listening(): string | undefined {
    if (this.port === undefined) return undefined;
    return `${bracketed(this.config.server.host)}:${this.port}`;
  }

  private get isServed(): boolean {
    return this.config.grpc.port !== 0 && this.config.role !== 'worker';
  }

  private get actualPort(): number | undefined {
    const { port } = this.config.grpc;
    return this.port ?? (port > 0 ? port : undefined);
  }
}

function targetOf(url: URL): string {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${url.hostname}:${port}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
