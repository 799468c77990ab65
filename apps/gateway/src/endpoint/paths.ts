/** The paths that WebSockets enter by. */
export const socketPaths = { voice: '/ws/sts', widget: '/ws/widgetchat', transcription: '/ws/transcribe' } as const;

const known: ReadonlySet<string> = new Set(Object.values(socketPaths));

/** Whether an address is that of a socket, whatever its query says. */
export function isSocketPath(url: string | undefined): boolean {
  return known.has(pathOf(url));
}

/** An address without its query. */
export function pathOf(url: string | undefined): string {
  return url?.split('?', 1)[0] ?? '';
}
