/** @quiet Judged by CPU time. */
import { OpenAnswer } from './answer';

const table = '\n| कपडा | दर |\n|---|---|\n| शर्ट | ₹30 |\n| पँट | ₹35 |\n| साडी | ₹90 |\n| कोट | ₹150 |\n| शाल | ₹70 |';

describe('what is synthesized at a time', () => {
  it('reads a table in the language of the clause before it, which is spoken as soon as it is complete', () => {
    const { chunks } = new OpenAnswer(1, 'कपड्यांचे दर काय आहेत?', 0);
    const said = [...chunks.push('आमच्या कपड्यांचे दर असे आहेत: '), ...chunks.push(table), ...chunks.flush()];
    expect(said[0]).toBe('आमच्या कपड्यांचे दर असे आहेत:');
    expect(said.slice(1).join(' ')).toContain('एकूण');
    expect(said.slice(1).join(' ')).not.toMatch(/(?<!\p{L})(?:हैं|कुल)(?!\p{L})/u);
  });

  it('does not cut the row of a table that an answer begins with', () => {
    const rows = '| Shirts and trousers, each | ₹30 |\n| Saris, of cotton or silk | ₹90 |\n';
    const { chunks } = new OpenAnswer(1, 'What does it cost?', 0);
    const said = [...rows].flatMap((letter) => chunks.push(letter));
    expect([...said, ...chunks.flush()]).toEqual(['Shirts and trousers, each: ₹30.', 'Saris, of cotton or silk: ₹90.']);
  });

  it.each(['| a. ', 'a: b; c: d\n', '-- ', '\n', 'x'])('takes time in proportion to an answer of nothing but %j', (part) => {
    const { chunks } = new OpenAnswer(1, 'What does it cost?', 0);
    const pieces = part.repeat(100_000 / part.length).match(/[^]{1,4}/gu) ?? [];
    const before = process.cpuUsage();
    for (const piece of pieces) chunks.push(piece);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});
