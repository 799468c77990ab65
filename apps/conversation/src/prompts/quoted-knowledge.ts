import type { Known } from '../knowledge/knowledge';
import { headings } from './own-words';

/** Passages between marks that their own text cannot contain, so that a document cannot end its quotation. */
export function quotedKnowledge(passages: Known['passages']): string {
  if (passages.length === 0) return 'Knowledge: nothing was found for this question.';
  const quoted = passages.map(
    ({ title, text }, place) => `<passage n="${place + 1}" title="${unmarked(title)}">\n${unmarked(text)}\n</passage>`,
  );
  return `${headings.knowledge}\n${quoted.join('\n')}`;
}

const lookalikes: Record<string, string> = { '<': '‹', '>': '›', '"': '”' };

function unmarked(text: string): string {
  return text.replace(/[<>"]/gu, (mark) => lookalikes[mark] ?? mark);
}
