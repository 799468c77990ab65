import { csvRow, withoutSafeguard } from './csv-row';

describe('a line of a CSV file', () => {
  it.each(['=1+1', '+cmd', '-2', '@sum', '\tx', '\rx', '\n=1', '＝1+1', '＋1', '－1', '＠sum'])(
    'makes text of %j, which a spreadsheet would run, and takes it back',
    (text) => {
      expect(csvRow([text])).toBe(`"'${text}"\r\n`);
      expect(withoutSafeguard(`'${text}`)).toBe(text);
    },
  );

  it('leaves telephone numbers and numbers as they are', () => {
    expect(csvRow(['+919820012345', -5, 1.5, true, null, ''])).toBe('+919820012345,-5,1.5,true,,\r\n');
  });

  it('quotes cells that contain separators', () => {
    expect(csvRow(['a,b', 'say "yes"', 'two\r\nlines', "it's; so"])).toBe('"a,b","say ""yes""","two\r\nlines","it\'s; so"\r\n');
    expect(withoutSafeguard("'quoted'")).toBe("'quoted'");
  });
});
