import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

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
