import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Fault } from '@parley/contracts';
import { ChatHarness } from '../../live/chat/chat-harness.suite';
import { scene } from '../../live/chat/chat-scene.suite';
import { keys } from '../../testing/running-gateway';

const address = () => `logs/recording?ConversationalLogKeyID=${randomUUID()}`;

describe('the recording of a conversation', () => {
  const harness = new ChatHarness();
  beforeAll(async () => {
    await harness.open();
    await mkdir(path.join(scene.folder, 'recordings', '7'), { recursive: true });
    await writeFile(path.join(scene.folder, 'recordings', '7', 'a.wav'), 'RIFF what was said');
  });
  beforeEach(() => harness.reset());
  afterAll(() => harness.close());

  const hear = (key: string, place = address()) => fetch(new URL(place, harness.url), { headers: { 'x-api-key': key } });

  it('can be downloaded with a key that may read logs, and is not cached', async () => {
    scene.recordingOf = () => ({ fileKey: 'recordings/7/a.wav' });
    const response = await hear(keys.owner);
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'audio/wav',
      'private, no-store',
    ]);
    expect(await response.text()).toBe('RIFF what was said');
  });

  it('is not available to an agent key', async () => {
    expect((await hear(keys.agent)).status).toBe(403);
  });

  it('is NOT_FOUND if the conversation or its file does not exist for the caller', async () => {
    scene.recordingOf = () => {
      throw new Fault('NOT_FOUND');
    };
    expect((await hear(keys.owner)).status).toBe(404);
    scene.recordingOf = () => ({ fileKey: 'recordings/7/gone.wav' });
    expect((await hear(keys.owner)).status).toBe(404);
    expect((await hear(keys.owner, 'logs/recording?ConversationalLogKeyID=7')).status).toBe(400);
  });
});
