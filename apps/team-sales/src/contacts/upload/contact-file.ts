import { setImmediate as others } from 'node:timers/promises';
import { Fault } from '@parley/contracts';
import type { FileStore } from '@parley/ports';
import { type ContactRow, ContactRowReader } from './contact-rows';
import { csvRows } from './csv-rows';
import { badFile } from './refuse-file';
import { textOfFile } from './text-of-file';

const bytesMax = 10 * 1024 * 1024;
const rowsMax = 100_000;
/** Reading numbers takes time: so often everything else has its turn, beats that say we live among them. */
const rowsInARow = 100;

/** A stored CSV of contacts, which can be read as often as one likes and never is in memory as a whole. */
export class ContactFile {
  constructor(
    private readonly files: FileStore,
    private readonly key: string,
    private readonly region: string,
  ) {}

  /** Reads the whole file and keeps nothing but which row is the last with its number. Refuses it here or never. */
  async inspect(): Promise<FileInspection> {
    const lastRows = new Map<string, number>();
    let rowCount = 0;
    for await (const row of this.rows()) {
      rowCount += 1;
      if (rowCount > rowsMax) throw new Fault('PAYLOAD_TOO_LARGE', { message: `A contact file may have ${rowsMax} rows.` });
      if ('contact' in row) lastRows.set(row.contact.number, rowCount);
    }
    return { rowCount, isLast: (number, rowNo) => lastRows.get(number) === rowNo };
  }

  async *rows(): AsyncGenerator<ContactRow> {
    const bytes = await this.files.open(this.key);
    if (!bytes) throw new Fault('NOT_FOUND', { message: 'The uploaded file is gone.' });
    let reader: ContactRowReader | undefined;
    let rowNo = 0;
    for await (const row of csvRows(textOfFile(bytes, bytesMax))) {
      if (reader) yield reader.read(row);
      else reader = ContactRowReader.forHeader(row, this.region);
      rowNo += 1;
      if (rowNo % rowsInARow === 0) await others();
    }
    if (!reader) throw badFile('it is empty');
  }
}

/** What is known of a file once it was read through. */
export interface FileInspection {
  readonly rowCount: number;
  /** Whether no later row has this number: what a file says last about somebody is what it means. */
  isLast(number: string, rowNo: number): boolean;
}
