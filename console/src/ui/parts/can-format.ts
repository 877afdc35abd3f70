const MAX_LENGTH = 60_000;
const MAX_LINES = 3_000;
/** What the layout of Markdown takes the square of as long for, within one block of lines. */
const MAX_BRACKETS = 400;
const DEEP_LINE = /^(?:[ \t]{120}|(?:[ \t]{0,3}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20})/m;

/** Whether a text can be laid out as Markdown in a moment, however its author meant it. */
export function canFormat(text: string): boolean {
  return (
    text.length <= MAX_LENGTH &&
    text.split('\n').length <= MAX_LINES &&
    !DEEP_LINE.test(text) &&
    text.split(/\n[ \t]*\n/).every((block) => block.split('[').length <= MAX_BRACKETS)
  );
}
