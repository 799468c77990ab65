const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const nameMax = 30;
const suffix = ' (copy)';

/** A name for the copy of an agent, within the 30 characters that a name may have. */
export function copyName(name: string): string {
  const kept = [...graphemes.segment(name)].slice(0, nameMax - suffix.length);
  return kept.map(({ segment }) => segment).join('').trimEnd() + suffix;
}
