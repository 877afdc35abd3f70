import { X509Certificate } from 'node:crypto';
import type { FieldViolation } from '../../common/hub-error.js';
import { isUrl } from '../../common/is-url.js';
import {
  type DeclaredEntry,
  readDeclared,
  readDuration,
  type ReadEntry,
} from '../../config/index.js';
import type { AuditExport, ExportType } from './audit-export.js';
import { ExportDto } from './export.dto.js';

/** The key of the configuration they stand under. */
const KEY = 'audit.export';
const MAX_EXPORTS = 20;
const MAX_TIMEOUT_MS = 30_000;
const USUAL_TIMEOUT_MS = 15_000;
const USUAL_BATCH = 100;
/** Bytes of a key (Standard Webhooks). */
const MIN_KEY = 24;
const MAX_KEY = 64;

const HTTP = { schemes: ['https:', 'http:'], rule: 'must be an http or https URL' };
const URLS: Readonly<Record<ExportType, { schemes: readonly string[]; rule: string }>> = {
  webhook: HTTP,
  otlp: { ...HTTP, rule: `${HTTP.rule}, with its path: https://collector.example:4318/v1/logs` },
  syslog: {
    schemes: ['tls:', 'tcp:'],
    rule: 'must be tls://HOST:PORT or tcp://HOST:PORT, such as tls://logs.example:6514',
  },
};

/** The exports that the configuration declares; throws `ConfigError` with all that is wrong. */
export function readDeclaredExports(
  written: readonly DeclaredEntry[],
): Promise<readonly AuditExport[]> {
  return readDeclared(KEY, written, ExportDto, readOne);
}

function readOne(dto: ExportDto, before: readonly AuditExport[]): ReadEntry<AuditExport> {
  const faults: FieldViolation[] = [];
  const expect = (holds: boolean, field: string, description: string): void => {
    if (!holds) faults.push({ field, description });
  };
  const { id, type, url, from = 'now', secret, authorization = null, ca = null } = dto;
  expect(!before.some((each) => each.id === id), 'id', 'is the id of an export before it');
  expect(before.length < MAX_EXPORTS, 'id', `is one of more than ${MAX_EXPORTS} exports`);
  const { schemes, rule } = URLS[type];
  const parsed = isUrl(url) ? new URL(url) : undefined;
  expect(parsed !== undefined && schemes.includes(parsed.protocol), 'url', rule);
  expect(!parsed?.username && !parsed?.password, 'url', 'must not hold a user or a password');
  if (type === 'syslog' && parsed !== undefined) {
    expect(/^[a-z]+:\/\/[^/?#]+:\d+\/?$/i.test(url), 'url', rule);
  }
  const key = secret === undefined ? null : keyIn(secret);
  expect(secret === undefined || type === 'webhook', 'secret', 'is for webhooks only');
  expect(
    key !== undefined,
    'secret',
    `must be whsec_ and ${MIN_KEY} to ${MAX_KEY} bytes in base64: whsec_$(openssl rand -base64 32)`,
  );
  expect(authorization === null || type !== 'syslog', 'authorization', 'is not for syslog');
  expect(ca === null || isPem(ca), 'ca', 'must be certificates as PEM');
  const timeoutMs = dto.timeout === undefined ? USUAL_TIMEOUT_MS : readDuration(dto.timeout);
  expect(
    timeoutMs !== undefined && timeoutMs >= 100 && timeoutMs <= MAX_TIMEOUT_MS,
    'timeout',
    `must be a duration such as 10s, from 100ms to ${MAX_TIMEOUT_MS / 1000}s`,
  );
  const entry: AuditExport = {
    ...{ id, type, url, from, authorization, ca },
    secret: key ?? null,
    batchEntries: dto.batch ?? USUAL_BATCH,
    timeoutMs: timeoutMs ?? USUAL_TIMEOUT_MS,
  };
  return { entry, faults };
}

function keyIn(secret: string): Buffer | undefined {
  const text = /^whsec_(?<text>[A-Za-z0-9+/]+={0,2})$/.exec(secret)?.groups?.['text'];
  if (text === undefined) return undefined;
  const key = Buffer.from(text, 'base64');
  const isWhole = key.toString('base64') === text;
  return isWhole && key.length >= MIN_KEY && key.length <= MAX_KEY ? key : undefined;
}

function isPem(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}
