import { Injectable } from '@nestjs/common';
import {
  ConnectError,
  Egress,
  type EgressRequest,
  type EgressResponse,
} from '../../common/egress/egress.js';
import type { TlsChoice } from '../../common/egress/tls-choice.js';
import { discard, readText } from '../../common/egress/read-body.js';
import { HubError } from '../../common/hub-error.js';
import { MAX_WORDS, safeWords, secretsIn } from '../../common/safe-words.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import { A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER, type AgentCard } from '../../protocol/a2a.js';
import { sendable } from '../endpoint/sealed-headers.js';
import { CARD_JSON, CARD_LIMIT_BYTES, cardFault } from './card-limits.js';
import { unlessOld } from './old-wire.js';
import { parseCard } from './parse-card.js';

/** A card as it was found. */
export interface FoundCard {
  readonly card: AgentCard;
  /** The document, byte for byte. */
  readonly original: string;
  /** The address that served it. */
  readonly address: string;
}

/** For each address tried, whole. */
const CARD_TIMEOUT_MS = 10_000;

/** What is read of an answer that is no card. */
const WORDS_LIMIT_BYTES = 64 * 1024;

const WELL_KNOWN = ['.well-known/agent-card.json', '.well-known/agent.json'];

/** Reads agent cards over the network, through the egress guard. */
@Injectable()
export class CardReader {
  constructor(
    private readonly egress: Egress,
    private readonly references: SecretReferences,
  ) {}

  /**
   * Looks for a card at an address: the well-known paths below it, the address itself, then the
   * well-known paths of its origin; only the address itself when it names a JSON document.
   *
   * Throws HubError EGRESS_DENIED when the address is forbidden, AGENT_UNREACHABLE when nothing
   * answers, INVALID_PARAMS when what is there is no card, saying what was tried, and UNAVAILABLE when
   * one of the headers is encrypted with a key that the hub does not have now, or refers to what cannot be read. What is said there instead of a
   * card is in the message, {@link MAX_WORDS} characters at most in all, unless only `egress.allow` opens the
   * address. `tls` is for that origin.
   */
  async find(
    cardUrl: string,
    stored: Readonly<Record<string, string>>,
    tls?: TlsChoice,
  ): Promise<FoundCard> {
    await this.egress.check(cardUrl);
    const headers = await sendable(stored, this.references);
    const tried: string[] = [];
    const words = new Words(secretsIn(headers));
    let closest: HubError | undefined;
    for (const address of addressesFor(cardUrl)) {
      try {
        return await this.read(address, { headers, tls }, words);
      } catch (error) {
        if (!(error instanceof HubError) || error instanceof SecretLockedError) throw error;
        // All addresses share the origin: where one cannot be reached, none can.
        if (error.reason === 'EGRESS_DENIED' || error.reason === 'AGENT_UNREACHABLE') throw error;
        if (error.violations.length > 0) closest ??= error;
        tried.push(`${address}: ${error.message}`);
      }
    }
    const violations = closest?.violations ?? [
      { field: 'cardUrl', description: 'no agent card was found there' },
    ];
    throw new HubError('INVALID_PARAMS', `No agent card was found. ${tried.join('; ')}`, {
      violations,
    });
  }

  /**
   * What is served at exactly this address. Throws HubError EGRESS_DENIED when it is forbidden and
   * AGENT_UNREACHABLE when there is no whole answer within `timeoutMs`. Status 0: the hub itself had no
   * file descriptor for a connection.
   */
  async look(
    address: string,
    headers: Readonly<Record<string, string>>,
    timeoutMs: number,
    tls?: TlsChoice,
  ): Promise<{ readonly status: number; readonly isCard: boolean }> {
    let sent = false;
    const sendables = await sendable(headers, this.references);
    try {
      const onSent = (): void => void (sent = true);
      const options = { ...requestOf({ headers: sendables, tls }, timeoutMs), onSent };
      const answer = await this.egress.request(address, options);
      const { statusCode: status } = answer;
      if (status === 200) return { status, isCard: isCard(await cardText(answer)) };
      discard(answer.body);
      return { status, isCard: false };
    } catch (error) {
      if (error instanceof HubError && error.reason === 'INVALID_PARAMS') {
        return { status: 200, isCard: false };
      }
      if (error instanceof HubError) throw error;
      if (!sent && this.egress.lacksFiles) return { status: 0, isCard: false };
      const why = isTimeout(error) ? `no answer within ${timeoutMs / 1000} s` : reason(error);
      throw new HubError('AGENT_UNREACHABLE', `Nothing answers at ${address}: ${why}`, {
        cause: error,
      });
    }
  }

  private async read(address: string, sent: Sent, words: Words): Promise<FoundCard> {
    const original = await this.get(address, sent, words);
    let json: unknown;
    try {
      json = JSON.parse(original);
    } catch {
      throw new HubError('INVALID_PARAMS', 'not JSON');
    }
    return { card: unlessOld(json, parseCard), original, address };
  }

  private async get(address: string, sent: Sent, words: Words): Promise<string> {
    try {
      const request = requestOf(sent, CARD_TIMEOUT_MS);
      const { answer, isListed } = await this.egress.requestClassified(address, request);
      const { statusCode } = answer;
      if (statusCode === 200) return await cardText(answer);
      const redirect = statusCode >= 300 && statusCode < 400;
      const hint = redirect ? ' (redirects are not followed)' : '';
      const said = await words.of(answer, isListed);
      throw new HubError('INVALID_PARAMS', `HTTP ${statusCode}${hint}${said}`);
    } catch (error) {
      if (error instanceof HubError) throw error;
      if (error instanceof ConnectError || isTimeout(error)) {
        throw new HubError('AGENT_UNREACHABLE', `Nothing answers at ${address}: ${reason(error)}`, {
          violations: [{ field: 'cardUrl', description: reason(error) }],
          cause: error,
        });
      }
      throw new HubError('INVALID_PARAMS', reason(error), { cause: error });
    }
  }
}

/** What proves the hub where it reads a card. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsChoice | undefined;
}

function requestOf({ headers, tls }: Sent, timeoutMs: number): EgressRequest {
  return {
    ...tls,
    method: 'GET',
    headers: {
      accept: 'application/json',
      // Agents that speak several versions show their richest card to those who ask for it.
      [A2A_VERSION_HEADER.toLowerCase()]: A2A_PROTOCOL_VERSION,
      ...headers,
    },
    signal: AbortSignal.timeout(timeoutMs),
  };
}

/** What is said at the addresses of one search, each thing once. */
class Words {
  private left = MAX_WORDS;
  private readonly known = new Set<string>();

  constructor(private readonly secrets: readonly string[]) {}

  /** To follow the status; empty where nothing is said that may be shown. Pages for people say nothing. */
  async of(answer: EgressResponse, isListed: boolean): Promise<string> {
    const type = String(answer.headers['content-type'] ?? '').toLowerCase();
    if (isListed || type.includes('html')) {
      discard(answer.body);
      return '';
    }
    const text = await readText(answer, WORDS_LIMIT_BYTES).catch(() => '');
    const said = safeWords(text.trim(), this.secrets, this.left);
    if (said === '' || this.known.has(said)) return '';
    this.known.add(said);
    this.left -= said.length;
    return `: ${said}`;
  }
}

/** Where a card may be, in the order they are tried. */
function addressesFor(cardUrl: string): string[] {
  const url = new URL(cardUrl);
  if (url.pathname.endsWith('.json')) return [url.href];
  const base = `${url.origin}${url.pathname.replace(/\/*$/, '/')}`;
  const below = WELL_KNOWN.map((path) => base + path);
  if (url.pathname === '/') return below;
  return [...below, url.href, ...WELL_KNOWN.map((path) => `${url.origin}/${path}`)];
}

/** The body of an answer, within the limits of a card; else HubError INVALID_PARAMS. */
async function cardText(answer: EgressResponse): Promise<string> {
  try {
    return await readText(answer, CARD_LIMIT_BYTES, { json: CARD_JSON });
  } catch (error) {
    throw cardFault(error);
  }
}

function isCard(text: string): boolean {
  try {
    parseCard(JSON.parse(text));
    return true;
  } catch {
    return false;
  }
}

function isTimeout(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'TimeoutError';
}

function reason(error: unknown): string {
  if (isTimeout(error)) return `no answer within ${CARD_TIMEOUT_MS / 1000} s`;
  return (error as { message?: string }).message ?? String(error);
}
