import type { AddressInfo, Server } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppConfig } from './app-config.js';

/** Where the hub is reached from outside: `publicUrl`, else the address it listens on. */
@Injectable()
export class PublicUrl {
  constructor(
    private readonly config: AppConfig,
    private readonly adapter: HttpAdapterHost,
  ) {}

  /** An absolute address without a final slash. Before the hub listens, its configured port. */
  get base(): string {
    return this.config.publicUrl ?? this.listening;
  }

  /** The same where that serves A2A: null in a worker without `publicUrl`, whose own address does not. */
  get ofA2a(): string | null {
    const { publicUrl, role } = this.config;
    return publicUrl ?? (role === 'worker' ? null : this.listening);
  }

  /** The address of the listening socket, whatever `publicUrl` says. */
  get listening(): string {
    const { host, port, tls } = this.config.server;
    const server = this.adapter.httpAdapter?.getHttpServer() as Server | undefined;
    const address = server?.address() as AddressInfo | null | undefined;
    const name = host.includes(':') ? `[${host}]` : host;
    return `${tls.certificate === null ? 'http' : 'https'}://${name}:${address?.port ?? port}`;
  }
}
