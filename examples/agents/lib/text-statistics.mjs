// Statistics of a text: words, sentences, readability, the most frequent terms.

const STOP_WORDS = new Set(
  `a about above after again all am an and any are as at be because been before being below between both but by
  can could did do does doing down during each few for from further had has have having he her here hers him his
  how i if in into is it its itself just me more most my no nor not now of off on once only or other our out over
  own same she should so some such than that the their theirs them then there these they this those through to too
  under until up very was we were what when where which while who whom why will with would you your yours`.split(
    /\s+/,
  ),
);
const WORDS_PER_MINUTE = 230;

/** The statistics of a text. */
export function measureText(text) {
  const words = text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
  const sentences = text.split(/[.!?…]+(?=\s|$)|\n\s*\n/u).filter((one) => /\p{L}/u.test(one));
  const paragraphs = text.split(/\n\s*\n/).filter((one) => one.trim() !== '');
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  const perSentence = words.length / Math.max(1, sentences.length);
  const perWord = syllables / Math.max(1, words.length);
  return {
    characters: [...text].length,
    words: words.length,
    uniqueWords: new Set(words.map((word) => word.toLowerCase())).size,
    sentences: sentences.length,
    paragraphs: paragraphs.length,
    wordsPerSentence: rounded(perSentence),
    syllablesPerWord: rounded(perWord),
    /** Flesch reading ease: 100 very easy, 0 very hard (English). */
    readingEase: rounded(206.835 - 1.015 * perSentence - 84.6 * perWord),
    /** Flesch-Kincaid grade: school years needed (English). */
    grade: rounded(0.39 * perSentence + 11.8 * perWord - 15.59),
    readingMinutes: rounded(words.length / WORDS_PER_MINUTE),
    topTerms: topTerms(words),
  };
}

/** Vowel groups, without a silent e: right for most English words. */
export function syllablesOf(word) {
  const groups = word
    .toLowerCase()
    .replace(/(?:[^laeiouy]es|[^laeiouy]ed|[^l]e)$/, (ending) => ending[0])
    .match(/[aeiouyäöüáéíóúàèìòù]+/g);
  return Math.max(1, groups?.length ?? 0);
}

function topTerms(words) {
  const counts = new Map();
  for (const word of words) {
    const term = word.toLowerCase();
    if (term.length < 3 || STOP_WORDS.has(term) || /^\d+$/.test(term)) continue;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...counts]
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, 10)
    .map(([term, count]) => ({ term, count }));
}

function rounded(number) {
  return Number(number.toFixed(2));
}
