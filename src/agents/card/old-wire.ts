import { isRecord } from '../../common/is-record.js';
import { HubError, invalidField } from '../../common/hub-error.js';

/** Members that python-a2a writes into the capabilities of its cards, and nothing that speaks A2A as it is today. */
const PYTHON_A2A = ['google_a2a_compatible', 'parts_array_format'];
const ADVICE =
  'The hub speaks A2A 0.2.5 and later (message/send); serve the agent with an A2A SDK of today, or pin protocolVersion if it speaks one of these versions all the same.';

/**
 * Why the agent of this card is spoken to in a protocol from before A2A 0.2 (`tasks/send`, parts with a `type`);
 * undefined unless the card says so. A card that states its interfaces, or a version of today, is believed, but for
 * those of python-a2a: 0.5.10 writes 0.3.0 into them and serves `tasks/send` all the same.
 */
export function oldWireOfCard(card: unknown): string | undefined {
  if (!isRecord(card) || card['supportedInterfaces'] !== undefined) return undefined;
  const { protocolVersion, capabilities } = card;
  if (isRecord(capabilities) && PYTHON_A2A.some((name) => name in capabilities)) {
    return `is of the library python-a2a, which speaks a protocol from before A2A 0.2, whatever its cards say. ${ADVICE}`;
  }
  if (typeof protocolVersion !== 'string' || !/^0\.[01](\.|$)/.test(protocolVersion.trim())) {
    return undefined;
  }
  return `is of an agent of A2A ${protocolVersion.trim()}, whose methods and messages are others. ${ADVICE}`;
}

/** Throws HubError INVALID_PARAMS when {@link oldWireOfCard} has something to say. */
export function refuseOldWire(card: unknown): void {
  const fault = oldWireOfCard(card);
  if (fault !== undefined) throw invalidField('card', fault);
}

/** What parsing this card gives; a card of an old wire fails with that rather than with what it lacks of today. */
export function unlessOld<T>(card: unknown, parse: (card: unknown) => T): T {
  try {
    return parse(card);
  } catch (error) {
    if (error instanceof HubError) refuseOldWire(card);
    throw error;
  }
}

/**
 * Why what was answered to a message shows such a protocol; undefined when it does not. `text` is the body, of
 * an answer that could not be used.
 */
export function oldWireOfAnswer(text: string): string | undefined {
  if (/\btasks\/send\b/.test(text)) {
    return 'It knows tasks/send, the method of a protocol from before A2A 0.2, and not message/send.';
  }
  const json = parsed(text);
  if (!isRecord(json)) return undefined;
  const { content, role, parts } = json;
  const says = 'It answers with a message of a protocol from before A2A 0.2';
  // No JSON-RPC, no A2A: the message of python-a2a by itself, in its own form or in that of Google's first draft.
  if (typeof role === 'string' && isRecord(content) && typeof content['type'] === 'string') {
    return `${says} ("content" with a "type", as python-a2a has it).`;
  }
  if (typeof role === 'string' && hasTypedParts(parts)) return `${says} (parts with a "type").`;
  const { result } = json;
  if (!isRecord(result)) return undefined;
  const { status, artifacts, sessionId } = result;
  const said = isRecord(status) ? status['message'] : undefined;
  const made: readonly unknown[] = Array.isArray(artifacts) ? artifacts : [];
  const isTyped = [result, said, ...made].some(
    (one) => isRecord(one) && hasTypedParts(one['parts']),
  );
  if (!isTyped && typeof sessionId !== 'string') return undefined;
  return 'It answers with a task of a protocol from before A2A 0.2 (parts with a "type", or a "sessionId").';
}

/** A part of today says what it is by its `kind` (0.3) or by its one content (1.0). */
function hasTypedParts(parts: unknown): boolean {
  return (
    Array.isArray(parts) &&
    parts.length > 0 &&
    parts.every((one) => isRecord(one) && typeof one['type'] === 'string' && !('kind' in one))
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
