import type { Message } from '../../protocol/a2a.js';

/**
 * The text parts of a message, joined by line feeds; empty without any. Of a longer text the first `limit`
 * UTF-16 units; the rest costs nothing.
 */
export function textOf({ parts }: Pick<Message, 'parts'>, limit = Infinity): string {
  const texts: string[] = [];
  let length = -1;
  for (const { content } of parts) {
    if (content?.$case !== 'text') continue;
    texts.push(content.value.slice(0, limit));
    length += content.value.length + 1;
    if (length >= limit) break;
  }
  return texts.join('\n').slice(0, limit);
}
