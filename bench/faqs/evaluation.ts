// `npm run eval -- faqs`: how many questions get the right stored answer, and how many a wrong one. `--tuning` asks the clinic's
// questions, on which words and thresholds may be tuned, instead of the evaluation's. `--misses` lists the questions answered
// wrongly or not at all.
import { languageOf, matchFaq, QuestionsByTopic } from '@parley/apps/knowledge-ingest/retrieval';
import { LocalEmbeddings } from '@parley/providers/local-embeddings';
import { clinic } from './clinic';
import { FaqIndex } from './faq-index';
import { studio } from './studio';

const { faqs, asked, unanswered } = process.argv.includes('--tuning') ? clinic : studio;

interface Outcome {
  readonly question: string;
  readonly wanted: string | undefined;
  readonly got: string | undefined;
}

async function main(): Promise<void> {
  const embeddings = new LocalEmbeddings();
  const index = new FaqIndex(embeddings);
  await index.fill(faqs);
  const questions = [
    ...Object.entries(asked).flatMap(([wanted, texts]) => texts.map((question) => ({ question, wanted }))),
    ...unanswered.map((question) => ({ question, wanted: undefined })),
  ];
  const byTopic = new QuestionsByTopic(Object.values(faqs).map((question, id) => ({ id, question })));
  const outcomes: Outcome[] = [];
  for (const { question, wanted } of questions) {
    const { similarity } = embeddings.capabilities;
    const match = byTopic.find(question) ?? matchFaq(question, await index.candidates(question), similarity);
    outcomes.push({ question, wanted, got: match && index.nameOf(match.id) });
  }
  show(outcomes);
  await index.close();
  await embeddings.close();
}

function show(outcomes: readonly Outcome[]): void {
  const known = outcomes.filter(({ wanted }) => wanted);
  const rows = {
    'with a stored answer': known,
    ...Object.fromEntries(
      (['english', 'hindi', 'marathi'] as const).map((language) => [
        `… asked in ${language}`,
        known.filter(({ question }) => languageOf(question) === language),
      ]),
    ),
    'without one': outcomes.filter(({ wanted }) => !wanted),
  };
  const report = Object.fromEntries(Object.entries(rows).map(([name, of]) => [name, rowOf(of)]));
  if (process.argv.includes('--misses'))
    for (const { question, wanted, got } of outcomes)
      if (wanted !== got) console.log(`${question} → ${got ?? 'nothing'} (${wanted ?? 'unanswerable'})`);
  console.table(report);
  console.log(JSON.stringify(report));
}

function rowOf(outcomes: readonly Outcome[]): Record<string, number> {
  const right = outcomes.filter(({ wanted, got }) => got !== undefined && got === wanted).length;
  const silent = outcomes.filter(({ got }) => got === undefined).length;
  const wrong = outcomes.length - right - silent;
  return { questions: outcomes.length, 'the right answer': right, 'a wrong answer': wrong, 'no stored answer': silent };
}

void main();
