import { csvRow, withoutSafeguard } from './csv-row';

describe('a line of a CSV file', () => {
  it.each(['=1+1', '+cmd', '-2', '@sum', '\tx', '\rx', '\n=1', '＝1+1', '＋1', '－1', '＠sum'])(
    'makes text of %j, which a spreadsheet would run, and takes it back',
    (text) => {
      expect(csvRow([text])).toBe(`"'${text}"\r\n`);
      expect(withoutSafeguard(`'${text}`)).toBe(text);
    },
  );

  it('makes text of a formula behind any white space or invisible character, and takes it back', () => {
    const unseen = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((character) => /\p{White_Space}|\p{Cf}|\p{Cc}/u.test(character));
    expect(unseen).toEqual(expect.arrayContaining([' ', '\u00a0', '\u3000', '\u200b', '\ufeff', '\u{e0020}']));
    const texts = unseen.flatMap((character) => ['=', '+', '-', '@', '＝'].map((sign) => `${character} ${character}${sign}1`));
    expect(texts.filter((text) => csvRow([text]) !== `"'${text}"\r\n`)).toEqual([]);
    expect(texts.filter((text) => withoutSafeguard(`'${text}`) !== text)).toEqual([]);
  });

  it('leaves a text as it is that only begins with white space, or has a sign further on', () => {
    expect(csvRow([' Pune', '\u200bPune', 'Pune = 1', '  ', ' a-b'])).toBe(' Pune,\u200bPune,Pune = 1,  , a-b\r\n');
  });

  it('leaves telephone numbers and numbers as they are', () => {
    expect(csvRow(['+919820012345', -5, 1.5, true, null, ''])).toBe('+919820012345,-5,1.5,true,,\r\n');
  });

  it('quotes cells that contain separators', () => {
    expect(csvRow(['a,b', 'say "yes"', 'two\r\nlines', "it's; so"])).toBe('"a,b","say ""yes""","two\r\nlines","it\'s; so"\r\n');
    expect(withoutSafeguard("'quoted'")).toBe("'quoted'");
  });
});
