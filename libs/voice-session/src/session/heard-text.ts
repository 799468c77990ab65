import type { Piece } from './utterance';

/** How fast voices speak where nothing better is known: rather slow, so that no word is counted too early. */
const msPerCharacter = 80;
/** So much of the next word must have been reached before a word counts whose end is only reckoned. */
const doubtedShare = 0.5;

/**
 * The text whose sound has been heard to the end: by the words' own times where the voice told them, else in proportion to
 * the letters. A word of which the end is missing does not count.
 */
export function heardTextOf(pieces: readonly Piece[], heardSamples: number, sampleRate: number): string {
  const texts: string[] = [];
  for (const piece of pieces) {
    if (piece.startsAt === undefined) continue;
    const heard = Math.min(piece.sent, heardSamples - piece.startsAt);
    if (heard <= 0) break;
    const isWhole = piece.isMade && !piece.hasFailed && heard >= piece.made;
    texts.push(isWhole ? piece.text : wordsWithin(piece, (heard * 1000) / sampleRate, (piece.made * 1000) / sampleRate));
  }
  return texts.filter(Boolean).join(' ');
}

function wordsWithin(piece: Piece, heardMs: number, madeMs: number): string {
  const words = piece.text.split(/\s+/).filter(Boolean);
  const isTimed = piece.words.length > 0;
  const heard = isTimed ? timedCount(piece, words.length, heardMs) : shareCount(piece, words, { heardMs, madeMs });
  return words.slice(0, heard).join(' ');
}

/** A voice may time other words than were written ("3" as "three"), so places are compared, not spellings. */
function timedCount({ words, isMade }: Piece, written: number, heardMs: number): number {
  const heard = words.filter(({ endMs }) => endMs <= heardMs).length;
  if (words.length === written || !isMade) return Math.min(heard, written);
  return Math.floor((heard * written) / words.length);
}

function shareCount(piece: Piece, words: readonly string[], { heardMs, madeMs }: { heardMs: number; madeMs: number }): number {
  const wholeMs = piece.isMade && !piece.hasFailed ? madeMs : Math.max(madeMs, piece.text.length * msPerCharacter);
  const lettersHeard = (piece.text.length * heardMs) / wholeMs;
  let at = 0;
  for (const [index, word] of words.entries()) {
    const startsAt = piece.text.indexOf(word, at);
    at = startsAt + word.length;
    // No voice speaks evenly: a word is believed once the place lies well within the one after it.
    if (lettersHeard < startsAt + word.length * doubtedShare) return Math.max(0, index - 1);
    if (lettersHeard < at) return index;
  }
  return words.length;
}
