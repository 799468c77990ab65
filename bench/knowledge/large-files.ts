import ExcelJs from 'exceljs';

const sentence = (number: number) =>
  `Part number ${number} is oiled every ${(number % 30) + 2} days and checked by the person on duty.`;
const linesPerPage = 40;

/** A CSV with this many rows. */
export function csvOf(rows: number): Buffer {
  const lines = Array.from(
    { length: rows },
    (_, index) => `Article ${index},${(index * 7) % 5000},${index % 2 === 0 ? 'yes' : 'no'},${sentence(index)}`,
  );
  return Buffer.from(`Name,Price,Available,Note\n${lines.join('\n')}\n`);
}

/** A workbook with this many rows. */
export async function xlsxOf(rows: number): Promise<Buffer> {
  const workbook = new ExcelJs.Workbook();
  const sheet = workbook.addWorksheet('Articles');
  sheet.addRow(['Name', 'Price', 'Available', 'Note']);
  for (let row = 0; row < rows; row += 1)
    sheet.addRow([`Article ${row}`, (row * 7) % 5000, row % 2 === 0 ? 'yes' : 'no', sentence(row)]);
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

/** A PDF with this many full pages of text. */
export function pdfOf(pages: number): Buffer {
  const bodies = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const kids: string[] = [];
  for (let page = 0; page < pages; page += 1) {
    const lines = Array.from({ length: linesPerPage }, (_, line) => `(${sentence(page * linesPerPage + line)}) Tj T*`).join(' ');
    const stream = `BT /F1 10 Tf 14 TL 50 780 Td ${lines} ET`;
    bodies.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    bodies.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${bodies.length} 0 R >>`,
    );
    kids.push(`${bodies.length} 0 R`);
  }
  bodies[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages} >>`;
  return withTable(bodies);
}

function withTable(bodies: readonly string[]): Buffer {
  const parts = ['%PDF-1.4\n'];
  let at = parts[0]?.length ?? 0;
  const offsets = bodies.map((body, index) => {
    const part = `${index + 1} 0 obj\n${body}\nendobj\n`;
    parts.push(part);
    at += part.length;
    return at - part.length;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer << /Size ${bodies.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF`;
  return Buffer.from(`${parts.join('')}xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${entries}${trailer}`, 'latin1');
}
