import type { Writable } from 'node:stream';
import zlib from 'node:zlib';
import { compressionAlgorithms } from '@grpc/grpc-js';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { SendMessageRequest } from '@a2a-js/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { userMessage } from '../support/builders.js';
import { BusyTurns } from '../support/busy-turns.js';
import {
  GrpcClient,
  type GrpcFailure,
  V0,
  V1,
  asIs,
  failureOf,
  grpcTarget,
} from '../support/grpc-client.js';
import { SERVING, checkHealth } from '../support/grpc-health.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';

const MIB = 1024 * 1024;
const METHODS = [...Object.values(V1), ...Object.values(V0)];
/** Those whose message has fields. */
const TAKING = METHODS.filter(({ path }) => !path.endsWith('AgentCard'));

let served: GrpcHub;
let client: GrpcClient;

beforeAll(async () => {
  served = await startGrpcHub();
});

afterAll(() => served.close());

/** Somebody who has nothing yet. */
beforeEach(async () => {
  client?.close();
  client = await GrpcClient.of(served.hub, { key: await served.hub.createKey() });
});

/** Sends bytes to a method, whatever its kind. */
function throwAt(method: (typeof METHODS)[number], bytes: Buffer): Promise<GrpcFailure> {
  if (!method.responseStream) return failureOf(client.exchange(method.path, bytes));
  const raw = { path: method.path, requestSerialize: asIs, responseDeserialize: asIs };
  return failureOf(client.events(raw, bytes));
}

async function nothingIsStored(): Promise<void> {
  const request = V1.listTasks.requestDeserialize(Buffer.alloc(0));
  expect((await client.call(V1.listTasks, request)).totalSize).toBe(0);
}

/** A message field that holds these bytes. */
function field(number: number, content: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(content).finish();
}

/** A `google.protobuf.Struct` of one member, `levels` deep; written from the inside out. */
function struct(levels: number): Uint8Array {
  const prefixes: Buffer[] = [];
  let length = 0;
  for (let level = 0; level < levels; level++) {
    const value = header(0x2a, length);
    const entry = [Buffer.from([0x0a, 1, 0x61]), header(0x12, length + value.length), value];
    const size = entry.reduce((sum, part) => sum + part.length, length);
    const prefix = Buffer.concat([header(0x0a, size), ...entry]);
    prefixes.push(prefix);
    length += prefix.length;
  }
  return Buffer.concat(prefixes.reverse());
}

/** The tag and the length before a field. */
function header(tag: number, length: number): Buffer {
  return Buffer.concat([Buffer.from([tag]), new BinaryWriter().uint32(length).finish()]);
}

function sendRequest(): SendMessageRequest {
  return SendMessageRequest.fromJSON({ tenant: 'scripted', message: userMessage('go') });
}

describe('hostile bytes over gRPC', () => {
  it.each(TAKING)('that are no message are INVALID_ARGUMENT at $path', async (method) => {
    const bytes = [
      Buffer.from('garbage, not protobuf'),
      Buffer.alloc(64, 0xff),
      // A first field that claims to be longer than the message.
      Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f, 0x00]),
    ];
    for (const one of bytes) {
      const failure = await throwAt(method, one);
      expect(failure.code).toBe('INVALID_ARGUMENT');
      expect(failure.raw).not.toMatch(/\bat .*\.[jt]s\b|RangeError|TypeError/);
    }
    await nothingIsStored();
  });

  it.each(TAKING.filter(({ path }) => !path.endsWith('/ListTasks')))(
    'of nothing at all are INVALID_ARGUMENT at $path',
    async (method) => {
      const failure = await throwAt(method, Buffer.alloc(0));
      expect(failure.code).toBe('INVALID_ARGUMENT');
      expect(failure.fields).not.toEqual([]);
      await nothingIsStored();
    },
  );

  it('of the wrong wire type are INVALID_ARGUMENT', async () => {
    // Each field of a send as a number.
    const bytes = Buffer.from([0x08, 1, 0x10, 1, 0x18, 1, 0x20, 1]);
    for (const method of [V1.sendMessage, V0.sendMessage]) {
      expect((await throwAt(method, bytes)).code).toBe('INVALID_ARGUMENT');
    }
    await nothingIsStored();
  });

  it.each([100, 50_000])(
    'that nest metadata %d levels deep are INVALID_ARGUMENT',
    async (levels) => {
      const message = V1.sendMessage.requestSerialize(sendRequest());
      const metadata = struct(levels);
      // Fields after the others: metadata of the request.
      const modern = Buffer.concat([message, field(4, metadata)]);
      const legacy = Buffer.concat([
        field(1, Buffer.from([0x0a, 1, 0x6d, 0x20, 1, 0x2a, 3, 0x0a, 1, 0x74])),
        field(3, metadata),
      ]);
      expect((await throwAt(V1.sendMessage, modern)).code).toBe('INVALID_ARGUMENT');
      expect((await throwAt(V0.sendMessage, legacy)).code).toBe('INVALID_ARGUMENT');
      await nothingIsStored();
    },
  );

  it('that are text but not UTF-8 are read as text that can be kept', async () => {
    const broken = Buffer.from([0x12, 0x02, 0xc3, 0x28]);
    expect((await throwAt(V1.getTask, broken)).code).toBe('NOT_FOUND');
  });

  it('with numbers that JSON has not are INVALID_ARGUMENT', async () => {
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const request = { ...sendRequest(), metadata: { number } };
      const failure = await failureOf(client.call(V1.sendMessage, request));
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['metadata'] });
    }
    await nothingIsStored();
  });

  it('beyond the limit are RESOURCE_EXHAUSTED, and up to it are read', async () => {
    const request = sendRequest();
    const large = (bytes: number): SendMessageRequest => ({
      ...request,
      message: {
        ...request.message!,
        parts: [
          {
            content: { $case: 'raw', value: Buffer.alloc(bytes) },
            filename: '',
            mediaType: '',
            metadata: undefined,
          },
        ],
      },
    });
    const failure = await failureOf(client.call(V1.sendMessage, large(11 * MIB)));
    expect(failure).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'PAYLOAD_TOO_LARGE' });
    const enormous = await failureOf(client.call(V1.sendMessage, large(21 * MIB)));
    expect(enormous.code).toBe('RESOURCE_EXHAUSTED');
    await nothingIsStored();
    const { payload } = await client.call(V1.sendMessage, large(9 * MIB));
    expect(payload?.$case).toBe('task');
  });

  it('that are many wait for their turns before they are looked through and decoded', async () => {
    const turns = new BusyTurns();
    const waits = async (bytes: Uint8Array): Promise<number[]> => {
      const counts: number[] = [];
      for (const method of [V1.sendMessage, V0.sendMessage, V1.sendStreamingMessage]) {
        const send = async (): Promise<void> => {
          expect((await throwAt(method, Buffer.from(bytes))).code).toBe('INVALID_ARGUMENT');
        };
        counts.push(await turns.waitsOf(send));
      }
      return counts;
    };
    try {
      // A field that no message has, and what is no field.
      expect(await waits(field(99, Buffer.alloc(MIB / 2)))).toEqual([0, 0, 0]);
      expect(await waits(Buffer.alloc(2 * MIB, 0xff))).toEqual([1, 1, 1]);
      expect(await waits(field(99, Buffer.alloc(2 * MIB)))).toEqual([2, 2, 2]);
    } finally {
      turns.stop();
    }
  }, 60_000);

  it('that are compressed are UNIMPLEMENTED, and nothing inflates them', async () => {
    const inflating = [zlib.Gunzip, zlib.Inflate].map(({ prototype }) =>
      jest.spyOn(prototype as Writable, 'write'),
    );
    for (const algorithm of [compressionAlgorithms.gzip, compressionAlgorithms.deflate]) {
      const channel = { 'grpc.default_compression_algorithm': algorithm };
      const known = await GrpcClient.of(served.hub, { channel });
      const nobody = new GrpcClient(grpcTarget(served.hub), { channel });
      const zeros = Buffer.alloc(16 * MIB);
      const failures = [
        await failureOf(
          nobody.exchange('/grpc.health.v1.Health/Check', zeros.subarray(0, 100_000)),
        ),
        await failureOf(checkHealth(nobody)),
        await failureOf(known.exchange(V1.sendMessage.path, zeros)),
        await failureOf(known.exchange(V0.sendMessage.path, zeros)),
        await failureOf(known.call(V1.sendMessage, sendRequest())),
      ];
      for (const { code, message, trailers } of failures) {
        expect({ code, message }).toEqual({
          code: 'UNIMPLEMENTED',
          message: expect.stringContaining('grpc-encoding: identity'),
        });
        expect(trailers.get('grpc-accept-encoding')).toEqual(['identity']);
      }
      known.close();
      nobody.close();
    }
    for (const spy of inflating) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    const plain = new GrpcClient(grpcTarget(served.hub));
    expect(await checkHealth(plain)).toBe(SERVING);
    plain.close();
    await nothingIsStored();
  });

  it('for a method or service that is none are UNIMPLEMENTED', async () => {
    const paths = [
      '/lf.a2a.v1.A2AService/Nothing',
      '/lf.a2a.v1.A2AService/sendMessage',
      '/a2a.v1.A2AService/ListTasks',
      '/nothing.at.all/GetTask',
      '/',
    ];
    for (const path of paths) {
      const failure = await failureOf(client.exchange(path, Buffer.from('garbage')));
      expect(failure.code).toBe('UNIMPLEMENTED');
    }
  });

  it('in metadata leave the call as it is', async () => {
    const odd = {
      'grpc-trace-id': 'x'.repeat(2000),
      traceparent: 'garbage',
      'a2a-extensions': ','.repeat(1000),
      cookie: 'a=b',
    };
    const unknown = { tenant: '', id: 'x', historyLength: undefined };
    expect((await failureOf(client.call(V1.getTask, unknown, odd))).code).toBe('NOT_FOUND');
  });
});
