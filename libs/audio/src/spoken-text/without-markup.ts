const fence = /```[^\n]*\n?/g;
const image = /!\[([^\]\n]*)\]\([^)\n]*\)/g;
const link = /\[([^\]\n]*)\]\([^)\n]*\)/g;
const tag = /<\/?[a-z][^<>\n]{0,200}>/gi;
const lineMark = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•][ \t]+)/gm;
const rule = /^[ \t]*(?:[-*_][ \t]*){3,}$/gm;
const tableRule = /^[ \t]*\|?[ \t:|-]*-[ \t:|-]*$/gm;
const emphasis = /(\*{1,3}|~~|`+)(?=\S)/g;
const emphasisEnd = /(?<=\S)(\*{1,3}|~~|`+)/g;
const underscores = /(?<![\p{L}\p{N}_])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\p{L}\p{N}_])/gu;
// Digits, `#` and `*` count as emoji in Unicode; only pictures are meant here, with what joins and colours them.
const emoji = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1F3FB}-\u{1F3FF}\u{FE0F}\u{20E3}]/gu;
// Joiners shape Devanagari, so they go only where emoji stood.
const orphanedJoiner = /(?<![\p{L}\p{M}])\u200D/gu;

/** The words of a text without Markdown, HTML tags and emoji. */
export function withoutMarkup(text: string): string {
  return text
    .replace(fence, ' ')
    .replace(image, '$1')
    .replace(link, '$1')
    .replace(tag, ' ')
    .replace(rule, '')
    .replace(tableRule, '')
    .replace(lineMark, '')
    .replace(emphasis, '')
    .replace(emphasisEnd, '')
    .replace(underscores, '')
    .replace(/[ \t]*\|[ \t]*/g, ', ')
    .replace(emoji, ' ')
    .replace(orphanedJoiner, '');
}
