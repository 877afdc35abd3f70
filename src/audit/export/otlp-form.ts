import type { AuditOutcome } from '../audit-entry.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { lineOf } from './entry-line.js';

/** OTLP's `SeverityNumber`, with its name. */
const SEVERITIES: Readonly<Record<AuditOutcome, readonly [number, string]>> = {
  attempted: [9, 'INFO'],
  succeeded: [9, 'INFO'],
  failed: [13, 'WARN'],
  refused: [13, 'WARN'],
};
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

type Value = { readonly stringValue: string } | { readonly intValue: string };

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/**
 * Entries as an `ExportLogsServiceRequest` in OTLP's JSON encoding: members in lowerCamelCase, 64-bit numbers as texts, trace
 * ids in hexadecimal, enumerations as numbers. The body of each record is the whole entry as JSON, so that its hash can be checked.
 */
export function otlpLogs(events: readonly AuditEvent[], version: string): object {
  return {
    resourceLogs: [
      {
        resource: {
          attributes: [text('service.name', 'a2a-hub'), text('service.version', version)],
        },
        scopeLogs: [{ scope: { name: 'a2a-hub.audit' }, logRecords: events.map(recordOf) }],
      },
    ],
  };
}

function recordOf(event: AuditEvent): object {
  const nanoseconds = `${event.at.getTime()}000000`;
  const [severityNumber, severityText] = SEVERITIES[event.outcome] ?? SEVERITIES.succeeded;
  const { traceId } = event.details;
  return {
    ...{ timeUnixNano: nanoseconds, observedTimeUnixNano: nanoseconds },
    ...{ severityNumber, severityText },
    body: { stringValue: lineOf(event) },
    attributes: attributesOf(event),
    ...(traceId !== undefined && TRACE_ID.test(traceId) && { traceId }),
  };
}

function attributesOf(event: AuditEvent): Attribute[] {
  const texts = {
    'audit.id': event.id,
    'audit.chain': event.chain,
    'audit.action': event.action,
    'audit.outcome': event.outcome,
    'audit.principal': event.principal,
    'audit.organization': event.organization,
    'audit.resource.type': event.resourceType,
    'audit.resource.id': event.resourceId,
    'audit.request_id': event.requestId,
    'audit.policy': event.policy,
  };
  return [
    ...Object.entries(texts).flatMap(([key, value]) => (value === null ? [] : [text(key, value)])),
    { key: 'audit.seq', value: { intValue: String(event.seq) } },
  ];
}

function text(key: string, stringValue: string): Attribute {
  return { key, value: { stringValue } };
}
