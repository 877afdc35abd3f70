import { pipeline, Transform } from 'node:stream';
import type { Egress, EgressRequest, EgressResponse } from '../../common/egress/egress.js';
import type { HttpWay } from '../binding/http-exchange.js';

/** Bytes of an answer's beginning that are kept. */
const CAPTURED_BYTES = 64 * 1024;

/** The way of a probe's calls over HTTP, which keeps the beginning of the newest answer. */
export class CapturingHttp implements HttpWay {
  private chunks: Buffer[] = [];
  private size = 0;
  private wasCalled = false;
  private isListed = false;
  /** What the server calls itself, if it does. */
  server: string | null = null;

  constructor(private readonly egress: Pick<Egress, 'requestClassified'>) {}

  /** It has been asked, and not only a list of the operator opens it: what it says may be shown. */
  get isOpen(): boolean {
    return this.wasCalled && !this.isListed;
  }

  /** What has come of the newest answer. */
  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }

  async request(url: string, options: EgressRequest): Promise<EgressResponse> {
    this.chunks = [];
    this.size = 0;
    const { answer, isListed } = await this.egress.requestClassified(url, options);
    this.wasCalled = true;
    this.isListed ||= isListed;
    const { server } = answer.headers;
    if (typeof server === 'string') this.server = server;
    return { ...answer, body: this.captured(answer.body) };
  }

  /** The same body: its beginning is captured as it is read. */
  private captured(body: EgressResponse['body']): EgressResponse['body'] {
    const { chunks } = this;
    const copied = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.size < CAPTURED_BYTES && chunks === this.chunks) {
          chunks.push(chunk.subarray(0, CAPTURED_BYTES - this.size));
          this.size += chunk.length;
        }
        done(null, chunk);
      },
    });
    pipeline(body, copied, () => undefined);
    return copied as unknown as EgressResponse['body'];
  }
}
