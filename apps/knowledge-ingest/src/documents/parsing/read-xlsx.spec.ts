import { zipOf } from '../../testing/sample-files.fake';
import { readXlsx } from './read-xlsx';

/** A workbook of one figure, in this number format. */
function workbookIn(formatCode: string): Buffer {
  const sheetPart = 'Type="x/worksheet" Target="worksheets/sheet1.xml"';
  const stylesPart = 'Type="x/styles" Target="styles.xml"';
  const parts = {
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" ${sheetPart}/><Relationship Id="r2" ${stylesPart}/></Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${formatCode}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c s="0"><v>1234.5</v></c></row></sheetData></worksheet>',
  };
  return zipOf(Object.entries(parts).map(([name, xml]) => ({ name, content: Buffer.from(xml) })));
}

async function cellIn(formatCode: string): Promise<string | undefined> {
  for await (const block of readXlsx(workbookIn(formatCode)).blocks)
    if (block.kind === 'row') return [...block.header, ...block.cells].join('');
  return undefined;
}

describe('a number format', () => {
  it('shows a figure as Excel does, up to the longest that Excel accepts', async () => {
    expect(await cellIn(`0.0&quot; ${'y'.repeat(249)}&quot;`)).toBe(`1234.5 ${'y'.repeat(249)}`);
  });

  it.each([
    ['separators', `${'#,'.repeat(20_000)}0`],
    ['words', `0&quot;${'rupees '.repeat(6_000)}&quot;`],
  ])('of more %s than Excel accepts is not spelled out in every cell', async (_what, formatCode) => {
    expect(await cellIn(formatCode)).toBe('1234.5');
  });
});
