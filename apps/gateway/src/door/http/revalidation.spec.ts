import { keys, type RunningGateway, runGateway } from '../../testing/running-gateway';

let label = 'English';
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await runGateway({ reply: () => ({ rows: [label], totalCount: 1, pageNo: 1, pageSize: 20 }) });
});
afterAll(() => gateway.close());

const ask = (headers: Record<string, string> = {}, key = keys.owner) =>
  fetch(`${gateway.url}/api/v1/things`, { headers: { 'x-api-key': key, ...headers } });

describe('a table that seldom changes', () => {
  it('is answered with 304 and no body if the client has it, even by a weak tag among others', async () => {
    const first = await ask();
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await ask({ 'if-none-match': known });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    }
  });

  it('is sent again after a change', async () => {
    const tag = (await ask()).headers.get('etag') ?? '';
    label = 'English (India)';
    const changed = await ask({ 'if-none-match': tag });
    expect([changed.status, ((await changed.json()) as { data: unknown }).data]).toEqual([200, ['English (India)']]);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it('is refused to an unknown key, whatever its tag', async () => {
    const tag = (await ask()).headers.get('etag') ?? '';
    const refused = await ask({ 'if-none-match': tag }, 'wsk_nobody');
    expect([refused.status, refused.headers.get('etag')]).toEqual([401, null]);
  });
});
