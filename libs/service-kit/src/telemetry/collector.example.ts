import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const Attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string().optional(), intValue: z.number().optional() }),
});
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(Attribute).default([]),
});
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});
type Span = z.output<typeof Span>;

/** An OTLP collector that records what it receives. */
export async function startCollector() {
  const spans: Span[] = [];
  const resources = new Set<string>();
  const take = async (request: IncomingMessage): Promise<void> => {
    if (request.url !== '/v1/traces') return;
    for (const { resource, scopeSpans } of Export.parse(await json(request)).resourceSpans) {
      resources.add(resource.attributes.map(({ key, value }) => `${key}=${value.stringValue}`).join(' '));
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
  };
  const server = createServer((request, response) => {
    void take(request).then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url, spans, resources, close: () => server.close() };
}
