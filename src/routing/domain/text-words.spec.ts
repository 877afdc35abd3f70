import { describe, expect, it } from '@jest/globals';
import { excerptOf, wordsOf } from './text-words.js';

const keys = (text: string): string[] => wordsOf(text).map(({ key }) => key);

describe('the words of a text', () => {
  it('are compared without case, accents and width, and shown as they were folded', () => {
    expect(keys('RÉSUMÉ resume ｒｅｓｕｍｅ')).toEqual(['resum', 'resum', 'resum']);
    expect(wordsOf('Translating!')).toEqual([{ key: 'transl', written: 'translating' }]);
  });

  it.each([
    ['translate translates translated translation translators translating'],
    ['summary summaries summarize summarise summarized summarization'],
    ['invoice invoices invoicing'],
    ['validate validation validator'],
    ['query queries'],
    ['file files'],
    ['analyse analyze analyses analyzing'],
    ['document documents documentation'],
  ])('of one meaning are one: %s', (text) => {
    expect(new Set(keys(text)).size).toBe(1);
  });

  it('of different meaning stay apart', () => {
    expect(new Set(keys('report contract string status class news image server')).size).toBe(8);
  });

  it('leave out what says nothing, in several languages, single letters and short numbers', () => {
    expect(keys('Could you please help me with this? a b 1 42')).toEqual([]);
    expect(keys('Kannst du mir bitte die Rechnung prüfen')).toEqual(['rechnung', 'prufen']);
    expect(keys('form 1099 for C++ and c#')).toEqual(['form', '1099', 'c++', 'c#']);
  });

  it('are pairs of letters where the script has no spaces', () => {
    expect(keys('画像認識')).toEqual(['画像', '像認', '認識']);
    expect(keys('PDFを翻訳')).toEqual(['pdf', 'を翻', '翻訳']);
    expect(keys('한국어')).toEqual(['한국', '국어']);
    expect(keys('字')).toEqual(['字']);
  });

  it('of a long text are those of its beginning and its end', () => {
    const long = `alpha ${'x '.repeat(50_000)}omega`;
    expect(keys(excerptOf(long))).toEqual(['alpha', 'omega']);
    expect(excerptOf(long).length).toBe(4001);
    expect(excerptOf('short')).toBe('short');
  });
});
