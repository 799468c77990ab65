import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RunningGateway, runGateway } from '../testing/running-gateway';

const folder = path.join(__dirname, '../../public/demo');
const place = mkdtempSync(path.join(tmpdir(), 'parley-demo-'));
const file = path.join(place, 'demo-widget');
afterAll(() => rmSync(place, { recursive: true }));

const gateways: RunningGateway[] = [];
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
});

async function open(environment: Record<string, string>): Promise<string> {
  const gateway = await runGateway({ environment });
  gateways.push(gateway);
  return gateway.url;
}

const widgetOf = async (url: string) => (await fetch(`${url}/demo/widget`)).json();

describe('the demo page', () => {
  it('does not exist unless a widget is configured for it', async () => {
    const url = await open({});
    for (const route of ['/demo', '/demo/demo.js', '/demo/widget'])
      expect([route, (await fetch(url + route)).status]).toEqual([route, 404]);
  });

  it('is linked from the landing page if it exists', async () => {
    const landing = async (environment: Record<string, string>) => (await fetch(await open(environment))).text();
    expect(await landing({ DEMO_WIDGET: 'wdg_shop' })).toContain('href="/demo"');
    expect(await landing({})).not.toContain('/demo');
  });

  it('is served with a policy that blocks foreign content', async () => {
    const response = await fetch(`${await open({ DEMO_WIDGET: 'wdg_shop' })}/demo`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(await response.text()).not.toMatch(/https?:\/\/|<style|<script>|style="/);
  });

  it('serves all its files, and every file they reference', async () => {
    const url = await open({ DEMO_WIDGET: 'wdg_shop' });
    const own = readdirSync(folder);
    const named = own.flatMap((name) => {
      const matches = readFileSync(path.join(folder, name), 'utf8').matchAll(
        /["'](?:(\/(?:assets|demo)\/[\w-]+\.\w+)|\.\/([\w-]+\.js)|([\w-]+-worklet\.js))["']/g,
      );
      return [...matches].map(([, whole, beside, worklet]) => whole ?? `/demo/${beside ?? worklet}`);
    });
    expect(named.length).toBeGreaterThan(15);
    const paths = new Set([...named, ...own.map((name) => `/demo/${name}`)]);
    for (const route of paths) expect([route, (await fetch(url + route)).status]).toEqual([route, 200]);
    expect((await fetch(`${url}/demo/..%2findex.html`)).status).toBe(404);
  });

  it('reads its widget from the configuration, or from a file that may appear later', async () => {
    expect(await widgetOf(await open({ DEMO_WIDGET: 'wdg_shop' }))).toEqual({ widget: 'wdg_shop', phone: null });
    const url = await open({ DEMO_WIDGET_FILE: file });
    expect(await widgetOf(url)).toEqual({ widget: null, phone: null });
    writeFileSync(file, 'wdg_from-file\n');
    expect(await widgetOf(url)).toEqual({ widget: 'wdg_from-file', phone: null });
    writeFileSync(file, 'ext_api_a-secret-by-mistake');
    expect(await widgetOf(url)).toEqual({ widget: null, phone: null });
  });
});
