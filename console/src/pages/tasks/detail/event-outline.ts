import type { Part, StreamResponse } from '../../../api/a2a';
import type { TaskEvent } from './task-query';

export interface EventOutline {
  readonly title: string;
  /** One line of what is in it. */
  readonly text: string;
  readonly parts: readonly Part[] | undefined;
}

const LONGEST = 200;

export function eventOutline({ kind, body }: TaskEvent): EventOutline {
  const { task, message, statusUpdate, artifactUpdate } = body as StreamResponse;
  if (artifactUpdate) {
    const { artifact, append } = artifactUpdate;
    const name = artifact.name || artifact.artifactId;
    return {
      title: append ? 'artifact, more of it' : 'artifact',
      text: `${name}: ${outlineOf(artifact.parts)}`,
      parts: artifact.parts,
    };
  }
  const said = statusUpdate?.status.message ?? task?.status.message ?? message;
  const who = message?.role === 'ROLE_USER' ? 'The client: ' : '';
  return { title: kind, text: who + outlineOf(said?.parts), parts: said?.parts };
}

function outlineOf(parts: readonly Part[] | undefined): string {
  const text = (parts ?? []).map(partOutline).join(' · ').replaceAll(/\s+/g, ' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function partOutline(part: Part): string {
  if (part.filename) return part.filename;
  if (typeof part.text === 'string') return part.text.slice(0, LONGEST + 1);
  if (typeof part.url === 'string') return part.url;
  return part.raw === undefined ? 'data' : (part.mediaType ?? 'file');
}
