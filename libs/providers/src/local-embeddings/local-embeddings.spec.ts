import { similarity } from '@parley/ports';
import { describeEmbeddings } from '@parley/ports/suites';
import { LocalEmbeddings } from './index';

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

  it('does not block the calling thread', async () => {
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 2);
    await engine.embed(
      Array.from({ length: 12 }, (_, index) => `A sentence about product ${index} and what it costs. `.repeat(8)),
    );
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(10);
  });
});
