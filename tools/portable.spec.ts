import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LoopFigures, watchLoop } from '../bench/measure/loop-watch';
import { cpuMicrosecondsBelow, cpuMicrosecondsOf, familyOf, proportionalBytesOf } from '../bench/measure/process-cpu';

const root = path.resolve(__dirname, '..');
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
/** What `npm start` and `npm test` run. */
const sources = files.filter((file) => /^(apps|libs|tools)\/.*\.(ts|mjs|cjs)$/.test(file) && file !== 'tools/portable.spec.ts');

/** Used only by specs that are skipped elsewhere, or run where the platform was checked. */
const checkedByCallers = [
  'apps/knowledge-ingest/src/testing/uploads-process.fake.ts',
  'tools/asterisk.mjs',
  'tools/nats-server.mjs',
  'tools/pocketsphinx.mjs',
];

const onLinuxOnly = {
  'the files of processes': /\/proc\//,
  'a second loopback address': /127\.0\.0\.[2-9]/,
  'shared memory as files': /\/dev\/shm/,
  'Debian’s packages': /'(apt-get|dpkg)'/,
  'an abstract socket': /listen\(['`"]\\0/,
  'the size of a socket’s buffers, which macOS bounds': /set(Recv|Send)BufferSize\(/,
};

describe('what runs on macOS too', () => {
  it.each(Object.entries(onLinuxOnly))('uses %s only where it has checked the platform', (_what, pattern) => {
    const using = sources.filter((file) => pattern.test(readFileSync(path.join(root, file), 'utf8')));
    const unchecked = using.filter((file) => !readFileSync(path.join(root, file), 'utf8').includes('process.platform'));
    expect(unchecked.filter((file) => !checkedByCallers.includes(file))).toEqual([]);
  });

  it('skips whole tests where a platform or a program is missing, since those are printed and counted', () => {
    const silent = /^\s*if \((process\.platform [!=]== 'linux'|!?has[A-Z]\w*(\(\))?)\) (return|expect|await)/m;
    const specs = files.filter((file) => /\.(spec|e2e|suite)\.ts$/.test(file));
    expect(specs.length).toBeGreaterThan(100);
    expect(specs.filter((file) => silent.test(readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
  });

  it('asks ps by the flags of POSIX', () => {
    const calls = sources.flatMap((file) => [...readFileSync(path.join(root, file), 'utf8').matchAll(/'ps', \[(.*?'-p')/g)]);
    expect(calls.length).toBeGreaterThan(2);
    for (const [, words = ''] of calls) expect(words.match(/'-\w'/g)).toEqual(["'-o'", "'-p'"]);
  });

  it('has no two files whose names differ only in case', () => {
    const folders = files.flatMap((file) => file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/')));
    const paths = [...new Set(folders)];
    expect(new Set(paths.map((each) => each.toLowerCase())).size).toBe(paths.length);
  });
});

describe('a benchmark on macOS', () => {
  const { platform } = process;
  beforeEach(() => void Object.defineProperty(process, 'platform', { value: 'darwin' }));
  afterEach(() => void Object.defineProperty(process, 'platform', { value: platform }));

  it('leaves out how long a thread waited for a core, and keeps the other figures of the event loop', () => {
    const figures = LoopFigures.parse(JSON.parse(JSON.stringify(watchLoop()())));
    expect(figures).not.toHaveProperty('coreWaitMs');
    expect(figures.longWaits).toBeGreaterThanOrEqual(0);
  });

  it.each(Object.entries({ cpuMicrosecondsOf, cpuMicrosecondsBelow, proportionalBytesOf }))(
    'shows NaN for %s, since 0 would be a figure',
    (_name, measure) => expect(measure(process.pid)).toBeNaN(),
  );

  it('counts a process itself where those below it are not known', () => {
    expect(familyOf(process.pid)).toEqual([process.pid]);
  });
});
