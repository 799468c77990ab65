import { docxOf, shapedPdfOf, zipOf } from '../../testing/sample-files.fake';
import { parseDocument } from './parse-document';

const shapesOf = (text: string) => [...text].map((means) => ({ means }));
const readable = Array.from({ length: 12 }, () => 'We close at five in the afternoon.');
const cellOf = (text: string) => `<c t="str"><v>${text}</v></c>`;
const workbookOf = (text: string) => {
  const relation = '<Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>';
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation}</Relationships>`,
    'xl/worksheets/sheet1.xml': `<row>${cellOf('Name')}</row><row>${cellOf(text)}</row>`,
  };
  return zipOf(Object.entries(parts).map(([name, xml]) => ({ name, content: Buffer.from(xml) })));
};

describe('a character that Postgres cannot store', () => {
  it.each([
    ['named by the font of a PDF', 'pdf', shapedPdfOf([['We open\0 at nine.', ...readable].map(shapesOf)])],
    ['in a Word file', 'docx', docxOf({ heading: 'Hours\0', text: 'We open\0 at nine.', table: [['a\0', 'b']] })],
    [
      'named in a Word file',
      'docx',
      docxOf({ heading: 'Hours&#0;', text: 'We open &#xD800; at nine.', table: [['a&#x0;', 'b']] }),
    ],
    ['in a workbook', 'xlsx', workbookOf('Ket\0tle')],
    ['named in a workbook', 'xlsx', workbookOf('Ket_x0000_tle _xD83D_')],
  ] as const)('has a stand-in: %s', async (_where, type, file) => {
    const { chunks } = await parseDocument(type, file);
    const texts = [...chunks].flatMap(({ text, heading = '' }) => [text, heading]);
    expect(texts.filter((text) => text.includes('\0') || !text.isWellFormed())).toEqual([]);
    expect(texts.join('')).toContain('\ufffd');
  });

  it.each(['txt', 'md', 'csv'] as const)('has a %s file refused', async (type) => {
    const file = Buffer.from(`${'We open at nine.\n'.repeat(100)}Closed\0on Sunday.`);
    await expect(parseDocument(type, file)).rejects.toThrow('The file is not text.');
  });
});
