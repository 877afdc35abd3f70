import { describe, expect, it } from '@jest/globals';
import { HubError } from '../../common/hub-error.js';
import { firstAllowed, grpcUrls, isGrpcScheme } from './grpc-url.js';

describe('The address of a gRPC interface', () => {
  it.each<[string, string[]]>([
    ['agent.example:8443', ['http://agent.example:8443', 'https://agent.example:8443']],
    ['Agent.Example', ['http://agent.example:443', 'https://agent.example:443']],
    ['localhost:80', ['http://localhost:80', 'https://localhost:80']],
    ['10.0.0.1:50051', ['http://10.0.0.1:50051', 'https://10.0.0.1:50051']],
    ['[::1]:50051', ['http://[::1]:50051', 'https://[::1]:50051']],
    ['dns:///agent.example:1', ['http://agent.example:1', 'https://agent.example:1']],
    ['https://agent.example', ['https://agent.example:443']],
    ['https://agent.example:50051/a2a/grpc', ['https://agent.example:50051']],
    ['grpcs://agent.example:50051', ['https://agent.example:50051']],
    ['http://agent.example:50051/', ['http://agent.example:50051']],
    ['GRPC://agent.example:50051', ['http://agent.example:50051']],
  ])('%s may be called at %j', (written, urls) => {
    expect(grpcUrls(written)).toEqual(urls);
  });

  it.each([
    '',
    'unix:/tmp/socket',
    'unix:///tmp/socket',
    'ftp://a:1',
    'a:b:c',
    'a:99999',
    'u:p@a:1',
  ])('"%s" is none', (written) => expect(grpcUrls(written)).toEqual([]));

  it('is called at the first place that is not refused', async () => {
    const denied = new HubError('EGRESS_DENIED', 'no');
    const ask = async (url: string) => {
      if (url.startsWith('http:')) throw denied;
      return 7;
    };
    expect(await firstAllowed(['http://a:1', 'https://a:1'], ask)).toEqual({
      url: 'https://a:1',
      answer: 7,
    });
    await expect(firstAllowed(['http://a:1'], ask)).rejects.toBe(denied);
    await expect(firstAllowed([], ask)).rejects.toMatchObject({ reason: 'EGRESS_DENIED' });
  });

  it('tells its own schemes', () => {
    expect(['grpc://a', 'GRPCS://a', 'https://a', 'a:1'].map(isGrpcScheme)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
