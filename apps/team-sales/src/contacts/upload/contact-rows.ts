import { z } from 'zod';
import { type ContactFields, csvColumns } from '../contact-fields';
import { withoutSafeguard } from '../csv-line';
import { toE164 } from '../phone-number';
import type { CsvRow } from './csv-rows';
import { badFile } from './refuse-file';
import type { RowError } from './upload.entity';

type Cells = { [field in keyof ContactFields]: string };
type Positions = Partial<Record<keyof ContactFields, number>>;

/** A row that can be saved, or what is wrong with it. Cells that are blank or absent say nothing about the contact. */
export type ContactRow = { readonly contact: ContactFields } | { readonly error: RowError };

const Email = z.email().max(254);

/** Reads rows below a header that names the columns in any case and order. */
export class ContactRowReader {
  private constructor(
    private readonly positions: Positions,
    private readonly width: number,
    private readonly region: string,
  ) {}

  /** Refuses a header without the one column that is required. Columns of other names are left alone. */
  static forHeader({ cells }: CsvRow, region: string): ContactRowReader {
    const names = cells.map((cell) => cell.trim().toLowerCase());
    const positions: Positions = {};
    for (const { column, field } of csvColumns) {
      const position = names.indexOf(column.toLowerCase());
      if (position >= 0) positions[field] = position;
    }
    if (positions.number === undefined) throw badFile('the column ContactNumber is missing in its first row');
    return new ContactRowReader(positions, cells.length, region);
  }

  read({ line, cells }: CsvRow): ContactRow {
    const wrong = (field: string | null, message: string) => ({ error: { line, field, message } });
    if (cells.length > this.width) return wrong(null, `has ${cells.length} cells where the header has ${this.width}`);
    const contact = this.cellsOf(cells);
    const long = csvColumns.find(({ field, max }) => contact[field].length > max);
    if (long) return wrong(long.column, `is longer than ${long.max} characters`);
    if (contact.number === '') return wrong('ContactNumber', 'is required');
    const number = toE164(contact.number, this.region);
    if (!number) return wrong('ContactNumber', 'is not a telephone number');
    if (contact.email !== '' && !Email.safeParse(contact.email).success) return wrong('Email', 'is not an e-mail address');
    return { contact: { ...contact, number } };
  }

  private cellsOf(cells: readonly string[]): Cells {
    const cell = (field: keyof ContactFields) => withoutSafeguard(cells[this.positions[field] ?? -1] ?? '').trim();
    return {
      name: cell('name'),
      number: cell('number'),
      email: cell('email'),
      city: cell('city'),
      state: cell('state'),
      country: cell('country'),
    };
  }
}
