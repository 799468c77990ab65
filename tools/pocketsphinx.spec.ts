import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const program = 'usr/bin/pocketsphinx_continuous';
const model = 'usr/share/pocketsphinx/model/en-us/en-us.lm.bin';

/** An apt-get that names only these as not installed, and a dpkg whose packages bring the program, the model and a library. */
const programs = (notInstalled: string, isEmpty: boolean): Record<string, string> => ({
  'apt-get': `case "$*" in *--simulate*) for each in ${notInstalled}; do echo "Inst $each (1)"; done;;
*) shift; for each in "$@"; do : > "$each.deb"; done;; esac`,
  dpkg: `mkdir -p "$3/usr/bin" "$3/${path.dirname(model)}" "$3/usr/lib"; case "$2" in
pocketsphinx.deb) : > "$3/${program}"; chmod 755 "$3/${program}";;
pocketsphinx-en-us.deb) ${isEmpty ? ':' : `: > "$3/${model}"`};;
*) : > "$3/usr/lib/$2.so";; esac`,
});

// Packages of Debian are for Linux alone.
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

describeOnLinux('unpacking pocketsphinx', () => {
  let place: string;
  beforeEach(() => (place = mkdtempSync(path.join(tmpdir(), 'parley-unpacking-'))));
  afterEach(() => rmSync(place, { recursive: true }));

  const unpack = (notInstalled: string, { isEmpty = false } = {}): unknown => {
    for (const [name, text] of Object.entries(programs(notInstalled, isEmpty))) {
      writeFileSync(path.join(place, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    const asked = JSON.stringify({ folder: path.join(place, 'unpacked'), system: path.join(place, 'system') });
    const code = `import { unpackPocketsphinx } from ${JSON.stringify(path.join(__dirname, 'pocketsphinx.mjs'))};
      console.log(JSON.stringify((await unpackPocketsphinx(${asked})) ?? null));`;
    const env = { ...process.env, PATH: `${place}:${process.env.PATH}` };
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { env, encoding: 'utf8' }));
  };
  const holds = (file: string): boolean => existsSync(path.join(place, 'unpacked', file));

  it.each(['pocketsphinx', 'pocketsphinx pocketsphinx-en-us libpocketsphinx3', ''])(
    'unpacks the program and the model if only "%s" is not installed',
    (notInstalled) => {
      expect(unpack(notInstalled)).toBeNull();
      expect([holds(program), holds(model), holds('usr/lib/libpocketsphinx3.deb.so')]).toEqual([
        true,
        true,
        notInstalled.includes('lib'),
      ]);
    },
  );

  it('repeats an earlier attempt that left a folder without the model', () => {
    mkdirSync(path.join(place, 'unpacked/usr/bin'), { recursive: true });
    writeFileSync(path.join(place, 'unpacked', program), '', { mode: 0o755 });
    expect(unpack('')).toBeNull();
    expect(holds(model)).toBe(true);
  });

  it('reports a missing model in the packages', () => {
    expect(unpack('', { isEmpty: true })).toMatch(/no English model/);
  });

  it('uses the system’s program only with its model', () => {
    mkdirSync(path.join(place, 'system/usr/bin'), { recursive: true });
    mkdirSync(path.join(place, 'system', path.dirname(model)), { recursive: true });
    writeFileSync(path.join(place, 'system', program), '', { mode: 0o755 });
    writeFileSync(path.join(place, 'system', model), '');
    expect(unpack('')).toBeNull();
    expect(holds(program)).toBe(false);
  });
});
