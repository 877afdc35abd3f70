// Measures source code: kinds of lines, functions, the longest of them.

const C_LIKE = { line: '//', block: ['/*', '*/'], functions: 'braces' };
/** What precedes a regular expression and never a division. */
const REGEX_MAY_FOLLOW = /(^|[(,=:[!&|?{};>]|\breturn)\s*$/;
const LANGUAGES = {
  javascript: { ...C_LIKE, regex: true, quotes: `'"\``, extensions: ['js', 'mjs', 'cjs', 'jsx'] },
  typescript: { ...C_LIKE, regex: true, quotes: `'"\``, extensions: ['ts', 'mts', 'cts', 'tsx'] },
  java: { ...C_LIKE, quotes: `'"`, extensions: ['java'] },
  c: {
    ...C_LIKE,
    quotes: `'"`,
    extensions: ['c', 'h', 'cc', 'cpp', 'hpp'],
    aliases: ['c++', 'cpp'],
  },
  csharp: { ...C_LIKE, quotes: `'"`, extensions: ['cs'], aliases: ['c#'] },
  go: { ...C_LIKE, quotes: `'"\``, extensions: ['go'], aliases: ['golang'] },
  rust: { ...C_LIKE, quotes: '"', extensions: ['rs'] },
  python: {
    line: '#',
    quotes: `'"`,
    triple: true,
    functions: 'indentation',
    extensions: ['py', 'pyi'],
  },
  shell: {
    line: '#',
    quotes: `'"`,
    functions: 'braces',
    extensions: ['sh', 'bash'],
    aliases: ['bash'],
  },
};

/** Names a client may answer with. */
export const LANGUAGE_NAMES = Object.keys(LANGUAGES);

/** The language of a file by its extension; undefined when it cannot be told. */
export function languageOfFile(name) {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return LANGUAGE_NAMES.find((language) => LANGUAGES[language].extensions.includes(extension));
}

/** The first language a text names; undefined when it names none. */
export function languageNamedIn(text) {
  const words = text.toLowerCase().match(/[a-z]+[+#]*/g) ?? [];
  const named = (word) =>
    LANGUAGE_NAMES.find(
      (language) => language === word || LANGUAGES[language].aliases?.includes(word),
    );
  return words.map(named).find((language) => language !== undefined);
}

/** The metrics of a source text. */
export function measureCode(source, languageName) {
  const language = LANGUAGES[languageName];
  const { code, comments } = separate(source, language);
  const codeLines = code.split('\n');
  const commentLines = comments.split('\n');
  const filled = (line) => line.trim() !== '';
  const lines = source.endsWith('\n') ? codeLines.length - 1 : codeLines.length;
  const counts = { code: 0, comment: 0, blank: 0 };
  for (let at = 0; at < lines; at++) {
    if (filled(codeLines[at])) counts.code++;
    else if (filled(commentLines[at])) counts.comment++;
    else counts.blank++;
  }
  const find = language.functions === 'braces' ? functionsByBraces : functionsByIndentation;
  const functions = find(code);
  const longest = functions.toSorted((a, b) => b.lines - a.lines)[0];
  return {
    language: languageName,
    lines,
    ...counts,
    commentRatio: Number((counts.comment / Math.max(1, counts.code + counts.comment)).toFixed(3)),
    longestLine: Math.max(0, ...source.split('\n').map((line) => line.length)),
    functions: functions.length,
    longestFunction: longest ?? null,
    meanFunctionLines: functions.length
      ? Number((functions.reduce((sum, one) => sum + one.lines, 0) / functions.length).toFixed(1))
      : 0,
  };
}

/**
 * Two texts of the source's shape: its code with comments and the insides of strings blanked, and its
 * comments with everything else blanked.
 */
function separate(source, language) {
  let code = '';
  let comments = '';
  let at = 0;
  const take = (length, into) => {
    const text = source.slice(at, at + length);
    const blank = text.replace(/[^\n]/g, ' ');
    code += into === 'code' ? text : into === 'string' ? text.replace(/[^\n'"`]/g, '_') : blank;
    comments += into === 'comment' ? text : blank;
    at += length;
  };
  const upTo = (end, from) => {
    const found = source.indexOf(end, from);
    return (found < 0 ? source.length : found + end.length) - at;
  };
  while (at < source.length) {
    const rest = source.slice(at, at + 3);
    if (rest.startsWith(language.line)) {
      const end = source.indexOf('\n', at);
      take((end < 0 ? source.length : end) - at, 'comment');
    } else if (language.block && rest.startsWith(language.block[0])) {
      take(upTo(language.block[1], at + 2), 'comment');
    } else if (language.triple && (rest === '"""' || rest === "'''")) {
      const isDocumentation = /(^|[:\n])\s*$/.test(code.slice(-200));
      take(upTo(rest, at + 3), isDocumentation ? 'comment' : 'string');
    } else if (language.quotes.includes(source[at])) take(stringLength(source, at), 'string');
    else if (language.regex && source[at] === '/' && REGEX_MAY_FOLLOW.test(code.slice(-80))) {
      take(regexLength(source, at), 'string');
    } else take(1, 'code');
  }
  return { code, comments };
}

function stringLength(source, start) {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === quote) return at + 1 - start;
    else if (source[at] === '\n' && quote !== '`') return 1; // not a string after all
  }
  return 1;
}

function regexLength(source, start) {
  let inClass = false;
  for (let at = start + 1; at < source.length && source[at] !== '\n'; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '[') inClass = true;
    else if (source[at] === ']') inClass = false;
    else if (source[at] === '/' && !inClass) return at + 1 - start;
  }
  return 1;
}

/** Functions of a language with braces: each `{` whose header looks like a function's. */
function functionsByBraces(code) {
  const found = [];
  const open = [];
  let start = 0;
  let depth = 0;
  let line = 1;
  for (let at = 0; at < code.length; at++) {
    const char = code[at];
    if (char === '\n') line++;
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === ';' && depth <= 0) start = at + 1;
    else if (char === '{') {
      const { header, lines } = headerOf(code.slice(start, at));
      open.push({
        name: functionName(header, depth > 0),
        header,
        line: line - lines + 1,
        start,
        depth,
      });
      [start, depth] = [at + 1, 0];
    } else if (char === '}') {
      const block = open.pop();
      if (block?.name) {
        found.push({ name: block.name, line: block.line, lines: line - block.line + 1 });
      }
      // A literal among parameters or a result type: the header it stands in goes on.
      const goesOn =
        block && !block.name && (block.depth > 0 || /\)\s*:[^=;]*$/.test(block.header));
      [start, depth] = [goesOn ? block.start : at + 1, block?.depth ?? 0];
    }
  }
  return found;
}

const CONTROL =
  /^(else\s+)?(if|for|while|switch|catch|with|do|try|finally|else|match|select|loop|unsafe)\b/;
const TYPE =
  /^((export|default|public|private|protected|static|abstract|final|sealed|pub|declare)\s+)*(class|interface|enum|struct|namespace|module|impl|trait|record|union|type)\b/;

/**
 * The header of a block: the last lines before its brace in which parentheses are balanced, joined,
 * with the braces inside them blanked; and how many lines they are.
 */
function headerOf(before) {
  const lines = before.split('\n');
  let text = '';
  let count = 0;
  while (count < lines.length) {
    count++;
    text = `${lines[lines.length - count]} ${text}`;
    const open = text.split('(').length - text.split(')').length;
    if (text.trim() !== '' && open >= 0) break;
  }
  let header = text.replace(/\s+/g, ' ').trim();
  while (/\{[^{}]*\}/.test(header)) header = header.replace(/\{[^{}]*\}/g, '_');
  return { header, lines: count };
}

/** Parameters in parentheses, then at most a result type (or what else languages allow there). */
const FUNCTION_HEADER =
  /\)\s*((:|->)\s*[^{};]+|throws [\w., ]+|const|noexcept|override|\([^()]*\)|[\w*[\].]+)?$/;

/** The function a block belongs to by the text before its brace; undefined when it is none. */
function functionName(header, isArgument) {
  if (CONTROL.test(header) || TYPE.test(header)) return undefined;
  if (header.endsWith('=>')) {
    return (
      /(\w+)\s*(:[^=]*)?=\s*(async\s*)?(\([^=]*\)|\w+)[^=]*=>$/.exec(header)?.[1] ?? 'anonymous'
    );
  }
  if (!FUNCTION_HEADER.test(header)) return undefined;
  const named = /\b(?:func(?:tion)?|fn)\b\s*(?:\([^)]*\)\s*)?\*?\s*(\w+)/.exec(header)?.[1];
  if (named) return named;
  if (/\bfunc(tion)?\s*\*?\s*\(/.test(header)) return 'anonymous';
  if (isArgument) return undefined;
  const name = /([\w$#]+)\s*(?:<[^(]*>)?\s*\(/.exec(header)?.[1];
  return name && !CONTROL.test(name) ? name : undefined;
}

/** Functions of a language with indentation: from `def` to the last line that is deeper. */
function functionsByIndentation(code) {
  const lines = code.split('\n');
  const indentOf = (line) => /^\s*/.exec(line)[0].length;
  return lines.flatMap((text, index) => {
    const name = /^\s*(?:async\s+)?def\s+(\w+)/.exec(text)?.[1];
    if (!name) return [];
    let end = index;
    for (let at = index + 1; at < lines.length; at++) {
      if (lines[at].trim() === '' || /^\s*[)\]}]/.test(lines[at])) continue;
      if (indentOf(lines[at]) <= indentOf(text)) break;
      end = at;
    }
    return [{ name, line: index + 1, lines: end - index + 1 }];
  });
}
