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
});
