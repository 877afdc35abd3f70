import type { Message } from '../../protocol/a2a.js';

/** The text parts of a message, joined by line feeds; empty without any. */
export function textOf({ parts }: Pick<Message, 'parts'>): string {
  return parts
    .flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
    .join('\n');
}
