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

/** A word counts for more in what names the skill than in what describes it. */
const FIELDS = [
  { name: 'name', weight: 1 },
  { name: 'tags', weight: 1 },
  { name: 'examples', weight: 0.5 },
  { name: 'description', weight: 0.5 },
] as const;
/**
 * BM25+ (Lv and Zhai, 2011) with its usual parameters: how soon more of the same word adds little, how much the
 * length of a field counts, and what a word adds however long the field is.
 */
const [K, B, D] = [1.2, 0.7, 0.5];
/** What it gives, beside the word's rarity, to a word that stands once in a field of average length. */
const PLAIN_HIT = 1 + D;
/** What a word of the text that stands in other skills only takes away. */
const DOUBT = 0.1;

interface Holder {
  readonly agentId: string;
  readonly skillId: string;
}

/** By agent. */
type Holders = Map<string, Set<Holder>>;

/** The words of a skill. Skills of several agents with the very same words are one document. */
interface Document {
  readonly id: string;
  readonly holders: Holders;
  /** The words of each field. */
  readonly fields: readonly (readonly string[])[];
  /** How many different words each field has. */
  readonly lengths: readonly number[];
}

/** A word, and where it stands. */
interface Term {
  /** How often it stands in each field of a document. */
  readonly counts: Map<Document, number[]>;
  /** In how many documents it stands in each field. */
  readonly spread: number[];
}

/** What words of a text say of a document. */
interface Hits {
  /** The sum of BM25+. */
  sum: number;
  words: number;
  /** Which words of the text these are: a bit for each. */
  which: number;
}

interface KnownSource {
  readonly stamp: TextSource['stamp'];
  readonly indexed: readonly { readonly document: Document; readonly holder: Holder }[];
}

/**
 * The words of the skills that a caller may use, for messages that name no agent; what it may not use has no
 * part in any score. It follows the registry by differences: only what was added, changed or removed is
 * written, and the result is the one a new index would give.
 */
export class TextIndex {
  private readonly documents = new Map<string, Document>();
  private readonly sources = new Map<string, KnownSource>();
  private readonly terms = new Map<string, Term>();
  /** The lengths of each field in all documents together. */
  private readonly lengths = FIELDS.map(() => 0);

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
   * The skills that words of the text stand in, best first, equal ones by agent and skill id. Of skills of one agent that say
   * the same the first by id.
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
    const hits = this.hitsOf([...written.keys()]);
    const inOrder = [...written.values()];
    // Most of them have the same few words of it.
    const known = new Map<number, readonly string[]>();
    const matches: TextMatch[] = [];
    for (const [document, hit] of hits) {
      let words = known.get(hit.which);
      if (words === undefined) {
        words = inOrder.filter((_, i) => (hit.which & (1 << i)) !== 0);
        known.set(hit.which, words);
      }
      const score = this.scoreOf(hit, written.size);
      for (const holders of document.holders.values()) {
        const { agentId, skillId } = firstOf(holders);
        matches.push({ agentId, skillId, score, words });
      }
    }
    return matches.sort((a, b) => b.score - a.score || compare(a, b));
  }

  /** What these words, at most {@link MAX_WORDS}, say of each document in which one of them stands. */
  private hitsOf(keys: readonly string[]): Map<Document, Hits> {
    const hits = new Map<Document, Hits>();
    keys.forEach((key, i) => {
      const term = this.terms.get(key);
      if (term === undefined) return;
      const rarity = term.spread.map((spread) => rarityOf(spread, this.documents.size));
      for (const [document, counts] of term.counts) {
        const weight = this.weightOf(document, counts, rarity);
        const hit = hits.get(document);
        if (hit === undefined) hits.set(document, { sum: weight, words: 1, which: 1 << i });
        else {
          hit.sum += weight;
          hit.words += 1;
          hit.which |= 1 << i;
        }
      }
    });
    return hits;
  }

  /** BM25+ of one word over the fields of a document. */
  private weightOf(
    { lengths }: Document,
    counts: readonly number[],
    rarity: readonly number[],
  ): number {
    let weight = 0;
    for (let field = 0; field < FIELDS.length; field++) {
      const count = counts[field]!;
      if (count === 0) continue;
      const average = this.lengths[field]! / this.documents.size;
      const long = 1 - B + (B * lengths[field]!) / average;
      weight +=
        FIELDS[field]!.weight * rarity[field]! * (D + (count * (K + 1)) / (count + K * long));
    }
    return weight;
  }

  private scoreOf({ sum, words }: Hits, known: number): number {
    const speaksFor = sum / (PLAIN_HIT * rarityOf(1, this.documents.size));
    const doubt = DOUBT * (known - words);
    return Math.round((100 * speaksFor) / (speaksFor + 1 + doubt)) / 100;
  }

  /** The words of a text that skills have, by key, with how they were first written; rarest kept. */
  private tellingWords(text: string): Map<string, string> {
    const words = new Map<string, string>();
    for (const { key, written } of wordsOf(excerptOf(text))) {
      if (this.terms.has(key) && !words.has(key)) words.set(key, written);
    }
    let postings = 0;
    const kept = [...words.keys()]
      .map((key) => ({ key, count: this.terms.get(key)?.counts.size ?? 0 }))
      .sort((a, b) => a.count - b.count || (a.key < b.key ? -1 : 1))
      .slice(0, MAX_WORDS)
      .filter(({ count }) => (postings += count) <= MAX_POSTINGS);
    const keys = new Set(kept.map(({ key }) => key));
    return new Map([...words].filter(([key]) => keys.has(key)));
  }

  private add({ agentId, skills, tags }: TextSource): KnownSource['indexed'] {
    return skills.map((skill) => {
      const fields = fieldsOf(skill, tags);
      const id = JSON.stringify(fields);
      const document = this.documents.get(id) ?? this.write(id, fields);
      const holder = { agentId, skillId: skill.id };
      addHolder(document.holders, holder);
      return { document, holder };
    });
  }

  private write(id: string, fields: Document['fields']): Document {
    const lengths = fields.map((words) => new Set(words).size);
    const document = { id, holders: new Map(), fields, lengths };
    this.documents.set(id, document);
    fields.forEach((words, field) => {
      this.lengths[field]! += lengths[field]!;
      for (const key of words) this.count(document, key, field);
    });
    return document;
  }

  private count(document: Document, key: string, field: number): void {
    let term = this.terms.get(key);
    if (term === undefined) {
      term = { counts: new Map(), spread: FIELDS.map(() => 0) };
      this.terms.set(key, term);
    }
    let counts = term.counts.get(document);
    if (counts === undefined) {
      counts = FIELDS.map(() => 0);
      term.counts.set(document, counts);
    }
    if (counts[field] === 0) term.spread[field]! += 1;
    counts[field]! += 1;
  }

  private remove({ indexed }: KnownSource): void {
    for (const { document, holder } of indexed) {
      removeHolder(document.holders, holder);
      if (document.holders.size === 0) this.erase(document);
    }
  }

  private erase(document: Document): void {
    const { id, fields, lengths } = document;
    this.documents.delete(id);
    fields.forEach((words, field) => {
      this.lengths[field]! -= lengths[field]!;
      for (const key of new Set(words)) this.terms.get(key)!.spread[field]! -= 1;
    });
    for (const key of new Set(fields.flat())) {
      const { counts } = this.terms.get(key)!;
      counts.delete(document);
      if (counts.size === 0) this.terms.delete(key);
    }
  }
}

function addHolder(holders: Holders, holder: Holder): void {
  const ofAgent = holders.get(holder.agentId);
  if (ofAgent === undefined) holders.set(holder.agentId, new Set([holder]));
  else ofAgent.add(holder);
}

function removeHolder(holders: Holders, holder: Holder): void {
  const ofAgent = holders.get(holder.agentId);
  ofAgent?.delete(holder);
  if (ofAgent?.size === 0) holders.delete(holder.agentId);
}

/** The first by its skill. */
function firstOf(holders: ReadonlySet<Holder>): Holder {
  let first: Holder | undefined;
  for (const each of holders) {
    if (first === undefined || each.skillId < first.skillId) first = each;
  }
  return first!;
}

/** The words of each field of {@link FIELDS}. */
function fieldsOf(
  { name, description, tags, examples }: AgentSkill,
  more: readonly string[],
): readonly (readonly string[])[] {
  const texts = {
    name,
    tags: [...new Set([...tags, ...more])].join('\n'),
    examples: examples.join('\n'),
    description,
  };
  return FIELDS.map((field) =>
    wordsOf(texts[field.name].slice(0, FIELD_LENGTH)).map(({ key }) => key),
  );
}

/** The inverse document frequency of a word that stands in so many of these documents. */
function rarityOf(spread: number, documents: number): number {
  return Math.log(1 + (documents - spread + 0.5) / (spread + 0.5));
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
