/** Of a longer text only its beginning and its end are looked at: there people say what they want. */
const HEAD_LENGTH = 3000;
const TAIL_LENGTH = 1000;

/** Letters and digits of any script; `c++` and `c#` are words too. */
const WORD = /[\p{L}\p{N}]+(?:\+\+|#)?/gu;

/** Scripts that put no spaces between words: pairs of letters stand for words there. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;

/**
 * Endings that English words of one meaning differ by (`translate`, `translation`, `translators`); at
 * least four letters stay. Cutting too much is harmless: message and skills are cut alike.
 */
const ENDING =
  /(?<=^.{4,})(?:[iy][sz]ations?|[iy][sz](?:e[drs]?|ers|ing|is)|at(?:e[ds]?|ions?|ors?|ing)|ions?|ings?|e[drs]?|ers|ors?|ies|is|s|y)$/;

/** Words that say nothing of what is wanted, in the languages most messages come in. */
const SILENT: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do
  does doing don down each few for from further get give go got had has have having he hello help her
  here hers hey hi him his how i if in into is it its just kindly let like ll make may me might more
  most must my need no nor not now of off ok on once only or other our out over own please re s same
  shall she should so some such t than thank thanks that the their them then there these they this
  those through to too under until up us use using ve very want was we were what when where which while
  who whom why will with would you your yours
  look looks say says see show shows tell tells told
  aber als am auf aus bei bin bitte da das dass dem den der des die dir du ein eine einem einen einer
  er es für hat ich ihr im ist kann kannst mein mich mir mit nach nicht oder sich sie sind und uns vom
  von vor wie wir zu zum zur
  au aux avec ce ces cette dans de des du elle en est et il je la le les leur ma mais mes moi mon ne
  nous ou par pas peux plus pour quel que qui sa se ses son sur ta te tu un une veux vos votre vous
  al como con cual del el ella esta este hay las lo los mas mi muy o para pero por puede que quiero si
  sin sobre su sus una uno y ya yo`
    .split(/\s+/)
    .map(fold),
);

/** One word of a text as it is compared, and as it was written. */
export interface TextWord {
  readonly key: string;
  readonly written: string;
}

/**
 * The words of a text that may say what is wanted, in order, each as often as it occurs: folded to lower
 * case without accents, English endings cut, silent words, single letters and short numbers left out.
 */
export function wordsOf(text: string): TextWord[] {
  const words: TextWord[] = [];
  for (const [written] of fold(text).matchAll(WORD)) {
    if (UNSPACED.test(written)) words.push(...pairsOf(written));
    else if (isTelling(written)) words.push({ key: stem(written), written });
  }
  return words;
}

/** What of a message's text is looked at; the same cost for every message beyond 4,000 characters. */
export function excerptOf(text: string): string {
  if (text.length <= HEAD_LENGTH + TAIL_LENGTH) return text;
  return `${text.slice(0, HEAD_LENGTH)}\n${text.slice(-TAIL_LENGTH)}`;
}

/** Lower case, compatibility forms unified (full width, ligatures), Latin accents removed. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!/[^ -~\s]/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC');
}

function isTelling(word: string): boolean {
  return !SILENT.has(word) && word.length > 1 && !/^\p{N}{1,2}$/u.test(word);
}

function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const cut = word.replace(ENDING, '');
  if (cut !== word) return cut;
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** `画像認識` is `画像`, `像認`, `認識`; a single letter is itself. Runs of other scripts stay whole. */
function pairsOf(word: string): TextWord[] {
  const letters = [...word];
  const words: TextWord[] = [];
  let run = '';
  const endRun = (): void => {
    if (isTelling(run)) words.push({ key: stem(run), written: run });
    run = '';
  };
  letters.forEach((letter, i) => {
    if (!UNSPACED.test(letter)) {
      run += letter;
      return;
    }
    endRun();
    const next = letters[i + 1];
    const before = letters[i - 1];
    if (next !== undefined && UNSPACED.test(next)) words.push(pair(letter + next));
    else if (before === undefined || !UNSPACED.test(before)) words.push(pair(letter));
  });
  endRun();
  return words;
}

function pair(written: string): TextWord {
  return { key: written, written };
}
