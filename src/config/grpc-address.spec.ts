import { describe, expect, it } from '@jest/globals';
import { GrpcAddress } from './grpc-address.js';
import { type ConfigOverrides, configWith } from './load-config.js';

const PEM = { text: 'pem', file: null };

function address(config: ConfigOverrides, boundPort?: number): GrpcAddress {
  const found = new GrpcAddress(configWith({ auth: { adminKey: 'k'.repeat(24) }, ...config }));
  if (boundPort !== undefined) found.bound(boundPort);
  return found;
}

describe('the address of the gRPC server', () => {
  it('is undefined while gRPC is off, and on a worker', () => {
    const worker = { role: 'worker', database: { url: 'postgres://u:p@h/d' } } as const;
    for (const off of [address({}), address({ ...worker, grpc: { port: 50051 } })]) {
      expect(off.target).toBeUndefined();
      expect(off.listening).toBeUndefined();
      expect(off.secure).toBe(false);
    }
  });

  it('is the listening host with the port, once that is known', () => {
    expect(address({ grpc: { port: 50051 } }).target).toBe('127.0.0.1:50051');
    expect(address({ grpc: { port: -1 } }).target).toBeUndefined();
    expect(address({ grpc: { port: -1 } }, 4711).target).toBe('127.0.0.1:4711');
    expect(address({ server: { host: '::1' }, grpc: { port: -1 } }, 4711).target).toBe(
      '[::1]:4711',
    );
  });

  it('is the host of publicUrl, then that of grpc.publicUrl', () => {
    const publicUrl = 'https://hub.example.com/base';
    expect(address({ publicUrl, grpc: { port: 50051 } }).target).toBe('hub.example.com:50051');
    const own = address({ publicUrl, grpc: { port: -1, publicUrl: 'https://rpc.example.com' } }, 1);
    expect(own.target).toBe('rpc.example.com:443');
    expect(own.listening).toBe('127.0.0.1:1');
    const plain = address({ grpc: { port: -1, publicUrl: 'http://rpc.example.com' } });
    expect(plain.target).toBe('rpc.example.com:80');
    expect(address({ grpc: { port: -1, publicUrl: 'http://rpc.example.com:8443' } }).target).toBe(
      'rpc.example.com:8443',
    );
  });

  it('is secure by its certificate, or by the scheme of grpc.publicUrl', () => {
    expect(address({ grpc: { port: 50051 } }).secure).toBe(false);
    const config = configWith({ grpc: { port: 50051 } });
    const withTls = { ...config, grpc: { ...config.grpc, tlsCertificate: PEM, tlsKey: PEM } };
    expect(new GrpcAddress(withTls).secure).toBe(true);
    const proxied = (scheme: string): GrpcAddress =>
      address({ grpc: { port: 50051, publicUrl: `${scheme}://rpc.example.com` } });
    expect(proxied('https').secure).toBe(true);
    expect(proxied('http').secure).toBe(false);
  });
});
