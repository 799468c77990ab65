import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { similarity } from '@parley/ports';
import { describeEmbeddings } from '@parley/ports/suites';
import { LocalEmbeddings } from './index';

// Priorities of threads are read from /proc.
const itOnLinux = process.platform === 'linux' ? it : it.skip;

describeEmbeddings('the local engine', () => new LocalEmbeddings());

describe('the local embeddings engine', () => {
  const engine = new LocalEmbeddings();
  afterAll(() => engine.close());

  const closeness = async (question: string, right: string, wrong: string) => {
    const [asked, near, far] = await engine.embed([question, right, wrong]);
    return asked && near && far ? similarity(asked, near) - similarity(asked, far) : -1;
  };

  it('recognizes an English paraphrase without common words', async () => {
    expect(
      await closeness('When do you close?', 'What are your business hours?', 'Which colours of paint are there?'),
    ).toBeGreaterThan(0.05);
  });

  it('recognizes Hindi and Marathi words with other endings or spelling', async () => {
    expect(await closeness('वारंटी कितनी है', 'वारण्टी की अवधि दो साल है, वारंटी कार्ड रखें', 'दुकान सोमवार को खुलती है')).toBeGreaterThan(
      0.05,
    );
    expect(await closeness('दुकानाची वेळ', 'दुकान उघडण्याची वेळ सकाळी दहा', 'उत्पादनाची किंमत पाचशे रुपये')).toBeGreaterThan(0.05);
  });

  it('reads documents in a thread that yields to questions, and slows down nothing else', async () => {
    const own = getPriority();
    await engine.embed(['When do you close?'], { as: 'question' });
    await engine.embed(['We close at eight.'], { as: 'passage' });
    expect(getPriority()).toBe(own);
  });

  itOnLinux('gives that thread a lower priority, on Linux', async () => {
    const own = getPriority();
    await engine.embed(['When do you close?'], { as: 'question' });
    await engine.embed(['We close at eight.'], { as: 'passage' });
    const priorities = readdirSync('/proc/self/task').map((thread) =>
      Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]),
    );
    expect(priorities).toEqual(expect.arrayContaining([own, Math.min(19, own + 5)]));
  });

  it('does not block the calling thread', async () => {
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 2);
    await engine.embed(
      Array.from({ length: 12 }, (_, index) => `A sentence about product ${index} and what it costs. `.repeat(8)),
    );
    clearInterval(ticking);
    // A blocked thread has none; how many a free one has depends on the machine.
    expect(ticks).toBeGreaterThan(1);
  });
});
