import MiniSearch, { type SearchResult } from 'minisearch';
import type { AgentSkill } from '../../protocol/a2a.js';
import { excerptOf, wordsOf } from './text-words.js';

/** An agent, or one composite skill, as far as texts can be matched with it. */
export interface TextSource {
  /** Unique among the sources. */
  readonly key: string;
  /** The agent the skills are of in the hub's card. */
  readonly agentId: string;
  readonly skills: readonly AgentSkill[];
  /** The operator's tags; they count as tags of every skill. */
  readonly tags: readonly string[];
  /** Changes whenever skills or tags do: what differs in no member of it is not looked at again. */
  readonly stamp: readonly (string | number)[];
}

/** A skill whose words are in a text. */
export interface TextMatch {
  readonly agentId: string;
  readonly skillId: string;
  /** 0 to 1, two decimals; {@link TextIndex.search} says how it is made. */
  readonly score: number;
  /** The words of the text that it has, as they were written there, in that order. */
  readonly words: readonly string[];
}

/** Words looked at, the rarest of the text; so a long text costs no more than a short one. */
const MAX_WORDS = 32;
/** Texts looked at, of all words together; a word that stands in many skills is left out for rarer ones. */
const MAX_POSTINGS = 200;

/** Characters of each field that count, so that no card can make the index slow or large. */
const FIELD_LENGTH = 4000;

const FIELDS = ['name', 'tags', 'examples', 'description'] as const;
/** A word counts for more in what names the skill than in what describes it. */
const FIELD_WEIGHTS = { name: 1, tags: 1, examples: 0.5, description: 0.5 };
/** BM25+ gives this to a word that stands once in a field of average length (k 1.2, b 0.7, d 0.5). */
const PLAIN_HIT = 1.5;
/** What a word of the text that stands in other skills only takes away. */
const DOUBT = 0.1;

/**
 * The words of a skill, those of each field by a space apart, so that a text is taken apart once. Skills
 * of several agents with the very same words are one document.
 */
interface SkillText {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: string;
  readonly examples: string;
}

interface Holder {
  readonly agentId: string;
  readonly skillId: string;
}

interface Document {
  readonly text: SkillText;
  readonly holders: Set<Holder>;
  readonly words: ReadonlySet<string>;
}

interface KnownSource {
  readonly stamp: TextSource['stamp'];
  readonly indexed: readonly { readonly documentId: string; readonly holder: Holder }[];
}

/**
 * The words of the skills that a caller may use, for messages that name no agent; what it may not use has no
 * part in any score. It follows the registry by differences: only what was added, changed or removed is
 * written, and the result is the one a new index would give.
 */
export class TextIndex {
  private readonly index = new MiniSearch<SkillText>({
    fields: [...FIELDS],
    tokenize: keysOf,
    processTerm: (key) => key,
  });
  private readonly documents = new Map<string, Document>();
  private readonly sources = new Map<string, KnownSource>();
  /** In how many documents a word stands. */
  private readonly frequency = new Map<string, number>();

  /** Makes the index hold these sources and no others; no cost for those whose stamp is the same. */
  sync(sources: readonly TextSource[]): void {
    const pieces = this.following(sources);
    while (pieces.next().done !== true);
  }

  /**
   * The same in small pieces, for who must not be held up: after each it yields the number of skills that
   * were written. What is searched meanwhile finds all that is there before and after.
   */
  *following(sources: readonly TextSource[]): Generator<number, void> {
    const gone = new Set(this.sources.keys());
    for (const source of sources) {
      gone.delete(source.key);
      const known = this.sources.get(source.key);
      if (known && isSameStamp(known.stamp, source.stamp)) continue;
      // First in, then out: a text that stays is not written anew.
      this.sources.set(source.key, { stamp: source.stamp, indexed: this.add(source) });
      if (known) this.remove(known);
      yield source.skills.length;
    }
    for (const key of gone) {
      const known = this.sources.get(key);
      this.sources.delete(key);
      if (!known) continue;
      this.remove(known);
      yield known.indexed.length;
    }
  }

  /**
   * The skills that words of the text stand in, best first, equal ones by agent and skill id.
   *
   * The score is f / (f + 1 + d). f is what speaks for the skill: BM25+ over its name and tags, and its
   * examples and description at half weight, measured so that a word which stands nowhere else gives 1
   * for its name. d is the doubt: 0.1 for each word of the text that other skills have, but not this one.
   * So a score means the same in a registry of any size: 0.5 is one word in the name that no other skill
   * has, or two in the description.
   */
  search(text: string): TextMatch[] {
    const written = this.tellingWords(text);
    if (written.size === 0) return [];
    const keysInOrder = [...written.keys()];
    return this.index
      .search('', { tokenize: () => keysInOrder, boost: FIELD_WEIGHTS })
      .flatMap((result) => {
        const score = this.scoreOf(result, written.size);
        const has = new Set(result.queryTerms);
        const words = keysInOrder
          .filter((key) => has.has(key))
          .map((key) => written.get(key) ?? key);
        const holders = this.documents.get(result.id as string)?.holders ?? [];
        return Array.from(holders, (holder) => ({ ...holder, score, words }));
      })
      .sort((a, b) => b.score - a.score || compare(a, b));
  }

  private scoreOf(result: SearchResult, known: number): number {
    // MiniSearch multiplies the sum of BM25+ by the number of words that matched.
    const sum = result.score / result.queryTerms.length;
    const speaksFor = sum / (PLAIN_HIT * rarestWeight(this.documents.size));
    const doubt = DOUBT * (known - result.queryTerms.length);
    return Math.round((100 * speaksFor) / (speaksFor + 1 + doubt)) / 100;
  }

  /** The words of a text that skills have, by key, with how they were first written; rarest kept. */
  private tellingWords(text: string): Map<string, string> {
    const words = new Map<string, string>();
    for (const { key, written } of wordsOf(excerptOf(text))) {
      if (this.frequency.has(key) && !words.has(key)) words.set(key, written);
    }
    let postings = 0;
    const kept = [...words.keys()]
      .map((key) => ({ key, count: this.frequency.get(key) ?? 0 }))
      .sort((a, b) => a.count - b.count || (a.key < b.key ? -1 : 1))
      .slice(0, MAX_WORDS)
      .filter(({ count }) => (postings += count) <= MAX_POSTINGS);
    const keys = new Set(kept.map(({ key }) => key));
    return new Map([...words].filter(([key]) => keys.has(key)));
  }

  private add({ agentId, skills, tags }: TextSource): KnownSource['indexed'] {
    return skills.map((skill) => {
      const text = wordsOfSkill(skill, tags);
      const holder = { agentId, skillId: skill.id };
      const document = this.documents.get(text.id) ?? this.write(text);
      document.holders.add(holder);
      return { documentId: text.id, holder };
    });
  }

  private write(text: SkillText): Document {
    const words = new Set(FIELDS.flatMap((field) => keysOf(text[field])));
    const document = { text, holders: new Set<Holder>(), words };
    this.documents.set(text.id, document);
    this.index.add(text);
    for (const key of words) this.frequency.set(key, (this.frequency.get(key) ?? 0) + 1);
    return document;
  }

  private remove({ indexed }: KnownSource): void {
    for (const { documentId, holder } of indexed) {
      const document = this.documents.get(documentId);
      document?.holders.delete(holder);
      if (document?.holders.size === 0) this.erase(document);
    }
  }

  /** MiniSearch's `discard` would leave the words behind for a while and count them meanwhile. */
  private erase({ text, words }: Document): void {
    this.documents.delete(text.id);
    this.index.remove(text);
    for (const key of words) {
      const count = (this.frequency.get(key) ?? 0) - 1;
      if (count > 0) this.frequency.set(key, count);
      else this.frequency.delete(key);
    }
  }
}

function wordsOfSkill(
  { name, description, tags, examples }: AgentSkill,
  more: readonly string[],
): SkillText {
  const text = {
    name: asKeys(name),
    description: asKeys(description),
    tags: asKeys([...new Set([...tags, ...more])].join('\n')),
    examples: asKeys(examples.join('\n')),
  };
  return { id: JSON.stringify(FIELDS.map((field) => text[field])), ...text };
}

function asKeys(text: string): string {
  return wordsOf(text.slice(0, FIELD_LENGTH))
    .map(({ key }) => key)
    .join(' ');
}

/** Words have no spaces. */
function keysOf(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}

/** The inverse document frequency that BM25 gives a word of a single document. */
function rarestWeight(documents: number): number {
  return Math.log(1 + (documents - 0.5) / 1.5);
}

/** By agent, then by skill. */
function compare(a: Holder, b: Holder): number {
  return compareTexts(a.agentId, b.agentId) || compareTexts(a.skillId, b.skillId);
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function isSameStamp(a: TextSource['stamp'], b: TextSource['stamp']): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}
