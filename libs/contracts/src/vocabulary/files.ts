import { z } from 'zod';
import { described } from './described';

/** A file that the gateway put into the file store. Messages name it and never carry its bytes. */
export const FileReference = described(
  'FileReference',
  'An uploaded file. Over HTTP this is the binary part of a multipart form.',
  z.object({
    fileKey: z.string().min(1).max(300),
    fileName: z.string().min(1).max(255),
    size: z.int().min(0),
    contentType: z.string().max(127),
  }),
  { fileKey: 'uploads/7/2f6f.csv', fileName: 'contacts.csv', size: 1024, contentType: 'text/csv' },
);
export type FileReference = z.output<typeof FileReference>;

/** Where the uploads of all organizations lie. Swept: what is to be kept of it is a document, or belongs in another folder. */
export const uploadsFolder = 'uploads';

/** The folder of an organization's uploads. A service opens only what lies in the folder of its caller. */
export function uploadsOf(orgId: number): string {
  return `${uploadsFolder}/${orgId}/`;
}

/** A piece of a text file on its way to the client. */
export const CsvPart = described('CsvPart', 'A run of whole CSV lines.', z.object({ csv: z.string().max(262_144) }), {
  csv: 'CustomerName,ContactNumber\r\n',
});

/** A request that has nothing to say beyond who asks. */
export const Nothing = described('Nothing', 'No input.', z.object({}), {});
