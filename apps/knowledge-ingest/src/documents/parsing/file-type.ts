export const fileTypes = ['pdf', 'xlsx', 'csv', 'docx', 'txt', 'md'] as const;
export type FileType = (typeof fileTypes)[number];

/** What the first bytes say a file is: the three that can be told apart, or something else. */
export function contentOf(head: Uint8Array): 'pdf' | 'zip' | 'text' | 'other' {
  const ascii = String.fromCharCode(...head.subarray(0, 1024));
  if (ascii.includes('%PDF-')) return 'pdf';
  if (ascii.startsWith('PK\u0003\u0004')) return 'zip';
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return head.includes(0) && !isUtf16 ? 'other' : 'text';
}

const contentOfType: Record<FileType, ReturnType<typeof contentOf>> = {
  pdf: 'pdf',
  xlsx: 'zip',
  docx: 'zip',
  csv: 'text',
  txt: 'text',
  md: 'text',
};

/** The type that a file's name claims; undefined for one that is not taken. */
export function typeByName(fileName: string): FileType | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
  return fileTypes.find((type) => type === extension);
}

/** Whether the content can be what the name says. */
export function fits(type: FileType, head: Uint8Array): boolean {
  return contentOf(head) === contentOfType[type];
}
