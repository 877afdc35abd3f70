import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import {
  type ListenerTexts,
  listenerFaults,
  validityFaults,
  validityOf,
} from '../common/tls/listener-texts.js';
import { regularFileText } from '../common/regular-file.js';
import { certificatesIn, type PemText } from '../common/tls/pem.js';
import { type ListenerSettings, textsOf } from './tls-faults.js';

/** How long before its end a certificate that is in force is warned of. */
const WARNED_BEFORE_MS = 7 * DAY_MS;

type Part = keyof ListenerTexts;
const PARTS: readonly Part[] = ['certificate', 'key', 'clientCa'];

/** The TLS of one listener, as its files are by now. What cannot be used changes nothing. */
export class FollowedTls {
  private inForce: ListenerTexts;
  private readonly listeners: (() => void)[] = [];
  /** What the look before found, if that was not what is in force. */
  private seen: ListenerTexts | string | undefined;
  /** The trouble that was reported last. */
  private reported: string | undefined;
  /** The end of the certificate that was warned of. */
  private warnedOf: number | undefined;

  constructor(
    private readonly listener: string,
    private readonly settings: ListenerSettings,
    private readonly log: Pick<Log, 'info' | 'warn' | 'error'>,
  ) {
    this.inForce = textsOf(settings);
  }

  get texts(): ListenerTexts {
    return this.inForce;
  }

  /** The files it is read from. */
  get files(): readonly string[] {
    return Object.values(this.settings.pem).flatMap((pem: PemText | null) => pem?.file ?? []);
  }

  /** When the certificate that is shown ends; undefined without one. */
  get until(): Date | undefined {
    const [own] = this.inForce.certificate === null ? [] : certificatesIn(this.inForce.certificate);
    return own && validityOf(own).until;
  }

  /** Calls the listener whenever other texts are in force. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Reads the files; what two looks in a row have found, and can be used, is in force from then on. */
  async look(now: Date): Promise<void> {
    this.warnOfEnd(now);
    const found = await this.read();
    const before = this.seen;
    this.seen = found;
    if (isDeepStrictEqual(found, this.inForce)) this.reported = undefined;
    else if (isDeepStrictEqual(found, before)) this.take(found, now);
  }

  private take(found: ListenerTexts | string, now: Date): void {
    const trouble = typeof found === 'string' ? found : this.troubleOf(found, now);
    if (typeof found !== 'string' && trouble === undefined) {
      this.inForce = found;
      this.reported = undefined;
      for (const listener of this.listeners) listener();
      const text = 'new certificates are in force for new connections';
      this.log.info({ listener: this.listener, files: this.files }, text);
    } else if (trouble !== this.reported) {
      this.reported = trouble;
      this.log.error(
        { listener: this.listener, problem: trouble },
        'the changed files of TLS cannot be used; those before stay in force',
      );
    }
  }

  /** A sentence where a file cannot be read. */
  private async read(): Promise<ListenerTexts | string> {
    const texts: Record<Part, string | null> = { ...this.inForce };
    for (const part of PARTS) {
      const file = this.settings.pem[part]?.file;
      if (file == null) continue;
      try {
        texts[part] = (await regularFileText(file)).replace(/\r?\n$/, '');
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        return `${this.settings.keys[part]} the file ${file} cannot be read (${code})`;
      }
    }
    return texts;
  }

  private troubleOf(found: ListenerTexts, now: Date): string | undefined {
    const lasting = listenerFaults(found);
    const faults = lasting.length > 0 ? lasting : validityFaults(found, now);
    if (faults.length === 0) return undefined;
    return faults.map(({ part, text }) => `${this.settings.keys[part]} ${text}`).join('; ');
  }

  private warnOfEnd(now: Date): void {
    const { until } = this;
    if (until === undefined) return;
    if (until.getTime() - now.getTime() > WARNED_BEFORE_MS || this.warnedOf === until.getTime()) {
      return;
    }
    this.warnedOf = until.getTime();
    this.log.warn(
      { listener: this.listener, setting: this.settings.keys.certificate, until },
      'the certificate ends soon: put the next one in its file',
    );
  }
}
