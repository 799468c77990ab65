import type { AgentRuntime } from '@parley/contracts';
import type { FetchPublicServer } from '@parley/service-kit';
import { z } from 'zod';

type AgentTool = AgentRuntime['RuntimeConfiguration']['Tools'][number];

const Given = z.record(z.string(), z.unknown());
const answerBytesMax = 16_000;

/**
 * A tool that calls a builder's HTTP endpoint. Address and headers are the builder's; only the arguments come from the model. The
 * guarded fetch keeps it out of our own network.
 */
export class OwnTool {
  readonly specification;
  readonly timeoutMs: number;

  constructor(
    private readonly tool: AgentTool,
    private readonly fetch: FetchPublicServer,
  ) {
    const { name, description, parameters } = tool;
    this.specification = { name, description, parameters };
    this.timeoutMs = tool.timeoutMs;
  }

  async run(given: unknown): Promise<string> {
    const { data } = Given.safeParse(given ?? {});
    if (!data) return 'Wrong arguments: they must be an object.';
    const { url, init } = this.requestOf(data);
    const response = await this.fetch(url, { ...init, signal: AbortSignal.timeout(this.timeoutMs) });
    const text = await beginningOf(response);
    if (response.status === 404) return `Not found. ${text}`.trim();
    return response.ok ? text || 'Done; it said nothing.' : `It failed with status ${response.status}. ${text}`.trim();
  }

  /** Arguments go into the query if the method has no body. */
  private requestOf(given: Record<string, unknown>): { url: string; init: RequestInit } {
    const { method, headers } = this.tool;
    const url = new URL(this.tool.url);
    if (method !== 'GET' && method !== 'DELETE')
      return {
        url: url.href,
        init: { method, headers: [['content-type', 'application/json'], ...headersOf(headers)], body: JSON.stringify(given) },
      };
    // Undeclared arguments are dropped: a caller may talk a model into one that the server reads as the builder's.
    for (const [name, value] of Object.entries(given).filter(([name]) => this.declares(name))) {
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return { url: url.href, init: { method, headers: headersOf(headers) } };
  }

  private declares(name: string): boolean {
    const { data } = Given.safeParse(this.tool.parameters.properties);
    return data !== undefined && Object.hasOwn(data, name);
  }
}

function headersOf(headers: AgentTool['headers']): [string, string][] {
  return headers.map(({ name, value }) => [name, value]);
}

/** The beginning of a response, as much as the model gets. */
async function beginningOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes >= answerBytesMax) break;
  }
  return Buffer.concat(parts).subarray(0, answerBytesMax).toString('utf8').trim();
}
