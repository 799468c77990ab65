import type { RuntimeSettings } from '@parley/contracts';

export type Tools = RuntimeSettings['Tools'];
export type Tool = Tools[number];
export type Header = Tool['headers'][number];

/** What clients read instead of a secret, and send to keep it. */
export const mask = '••••';

const reference = 'secret:';

/** How a stored header names its secret. */
export function referenceTo(secretId: string): string {
  return reference + secretId;
}

/** The id of the secret that a stored header stands for. */
export function secretIdOf({ isSecret, value }: Header): string | undefined {
  return isSecret && value.startsWith(reference) ? value.slice(reference.length) : undefined;
}

/** Tools with every secret hidden. */
export function masked(tools: Tools): Tools {
  return mapHeaders(tools, (header) => (header.isSecret ? { ...header, value: mask } : header));
}

export function mapHeaders(tools: Tools, change: (header: Header, tool: Tool) => Header): Tools {
  return tools.map((tool) => ({ ...tool, headers: tool.headers.map((header) => change(header, tool)) }));
}
