import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import type { StatusObject } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { type ErrorReason, HubError, invalidField } from '../../common/hub-error.js';
import { RPC_STATUS, WIRE_ERRORS } from '../error-map.js';
import { grpcStatusOf } from './grpc-error.js';

function detailsOf({ metadata }: StatusObject): ReturnType<typeof decodeStatus> {
  return decodeStatus(metadata.get('grpc-status-details-bin')[0] as Buffer);
}

function typesOf(status: StatusObject): string[] {
  return detailsOf(status).details.map(({ typeUrl }) => typeUrl.replace(/.*\./, ''));
}

function infoOf(status: StatusObject): ReturnType<typeof decodeErrorInfo> {
  return decodeErrorInfo(detailsOf(status).details[0]!.value);
}

describe('the gRPC status of an error', () => {
  it.each(Object.keys(WIRE_ERRORS) as ErrorReason[])('is that of the error map: %s', (reason) => {
    for (const version of ['1.0', '0.3'] as const) {
      const status = grpcStatusOf(new HubError(reason, 'A sentence.'), version);
      const wire = WIRE_ERRORS[reason];
      expect(status.code).toBe(RPC_STATUS[wire.status]);
      expect(detailsOf(status)).toMatchObject({ code: status.code, message: status.details });
      expect(infoOf(status)).toMatchObject({
        reason: wire.reason ?? reason,
        domain: wire.domain,
      });
    }
  });

  it('has the sentence of the error in 1.0, and the standard text with a detail in 0.3', () => {
    const error = new HubError('CONFLICT', 'That id is taken.', { metadata: { id: 'x' } });
    expect(grpcStatusOf(error, '1.0').details).toBe('That id is taken.');
    expect(infoOf(grpcStatusOf(error, '1.0')).metadata).toEqual({ id: 'x' });
    const legacy = grpcStatusOf(error, '0.3');
    expect(legacy.details).toBe('Invalid parameters');
    expect(infoOf(legacy).metadata).toEqual({ id: 'x', detail: 'That id is taken.' });
  });

  it('names the fields at fault in a BadRequest', () => {
    const status = grpcStatusOf(invalidField('message.parts', 'is required'), '1.0');
    expect(typesOf(status)).toEqual(['ErrorInfo', 'BadRequest']);
    const bytes = detailsOf(status).details[1]!.value.toString();
    expect(bytes).toContain('message.parts');
    expect(bytes).toContain('is required');
  });

  it('says when to try again', () => {
    const metadata = { retryAfterSeconds: '7' };
    const status = grpcStatusOf(new HubError('RATE_LIMITED', 'Slow down.', { metadata }), '1.0');
    expect(status.metadata.get('retry-after')).toEqual(['7']);
    expect(typesOf(status)).toEqual(['ErrorInfo', 'RetryInfo']);
    expect(detailsOf(status).details[1]!.value).toEqual(Buffer.from([0x0a, 0x02, 0x08, 7]));
  });

  it('says nothing of an accident', () => {
    for (const version of ['1.0', '0.3'] as const) {
      const status = grpcStatusOf(new TypeError('secret of the hub'), version);
      expect(status.details).toBe('Internal error');
      expect(
        detailsOf(status)
          .details.map(({ value }) => value.toString())
          .join(),
      ).not.toContain('secret');
      expect(infoOf(status).metadata).toEqual({});
    }
  });

  it('stays small enough for a trailer, and can always be percent-encoded', () => {
    const field = `message.${'x'.repeat(300)}`;
    const violations = Array.from({ length: 20 }, () => ({ field, description: 'is required' }));
    const metadata = { skills: 's'.repeat(5000) };
    const long = `a${'\u{1f600}'.repeat(1000)} and \ud83d`;
    for (const options of [{ metadata }, { violations }, { metadata, violations }]) {
      const status = grpcStatusOf(new HubError('INVALID_PARAMS', long, options), '1.0');
      const [bytes] = status.metadata.get('grpc-status-details-bin') as Buffer[];
      expect(bytes!.length).toBeLessThanOrEqual(4096);
      expect(encodeURI(status.details).length).toBeLessThan(2048);
      expect(infoOf(status).reason).toBe('INVALID_PARAMS');
    }
    const status = grpcStatusOf(invalidField('a', 'is required'), '1.0');
    expect(typesOf(status)).toContain('BadRequest');
  });
});
