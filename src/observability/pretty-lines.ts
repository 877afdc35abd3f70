import type { DestinationStream } from 'pino';
import pretty from 'pino-pretty';

/** Fields that come first; the rest of an entry follows them on the same line. */
const LINE =
  '{msg}{if method} {method}{end}{if route} {route}{end}{if operation} {operation}{end}' +
  '{if status} {status}{end}{if code} {code}{end}{if reason} {reason}{end}{if ms} {ms} ms{end}' +
  '{if caller} {caller}{end}{if keyName} ({keyName}){end}' +
  '{if taskId} task {taskId}{end}';

/** Writes the entries of the log to standard output as lines that people read, in colour on a terminal. */
export function prettyLines(destination?: NodeJS.WritableStream): DestinationStream {
  return pretty({
    colorize: destination === undefined && process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'method,route,operation,status,code,reason,ms,caller,keyName,taskId',
    messageFormat: LINE,
    singleLine: true,
    // Written at once: nothing of the last lines is lost at the end.
    sync: true,
    ...(destination !== undefined && { destination }),
  });
}
