import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Home } from './home';
import { laptopEnvironment } from './laptop';
import { readOptions } from './options';

describe('the environment of services on one machine', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-laptop-'));
  let home: Home;
  beforeAll(async () => {
    home = await Home.take(directory);
  });
  afterAll(async () => {
    await home.release();
    rmSync(directory, { recursive: true });
  });
  const told = (args: string[], environment: NodeJS.ProcessEnv = {}) =>
    laptopEnvironment(environment, { options: readOptions(args, environment), home, doorPort: 8123 });

  it('says where the door is, also when its port was chosen by the machine', () => {
    expect(told(['--port', '0'])).toMatchObject({ PORT: '8123', HOST: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:8123' });
    expect(told(['--host', '0.0.0.0'])).toMatchObject({ HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1:8123' });
  });

  it('leaves what somebody decided, and takes an empty variable for none', () => {
    expect(told([], { PUBLIC_URL: 'https://voice.example', PARLEY_INITIAL_CREDITS: '' })).toMatchObject({
      PUBLIC_URL: 'https://voice.example',
      PARLEY_INITIAL_CREDITS: expect.stringContaining('TTT_API='),
    });
  });
});
