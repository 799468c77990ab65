// `npm run eval -- retrieval`: how well each engine finds, and how well it recognizes that it does not know. `--tuning` asks the
// clinic's questions, on which weights and thresholds may be tuned, instead of the evaluation's. `--english-only` asks the same
// of a knowledge base in English only. `--misses` lists the questions that the service answers wrongly.
import { LocalEmbeddings } from '@parley/providers/local-embeddings';
import { tuning } from '@parley/apps/knowledge-ingest/retrieval';
import { clinicPassages } from './clinic/passages';
import { clinicQuestions } from './clinic/questions';
import { areaUnderCurve, figuresOf, type Answered } from './figures';
import { IndexOfPassages } from './index-of-passages';
import { enginesFor } from './ranking';
import { shopPassages } from './shop/passages';
import { shopQuestions } from './shop/questions';

const isTuning = process.argv.includes('--tuning');
const [everyPassage, questions] = isTuning ? [clinicPassages, clinicQuestions] : [shopPassages, shopQuestions];
const languagesWritten = process.argv.includes('--english-only') ? 1 : 3;
const passages = Object.fromEntries(
  Object.entries(everyPassage).map(([topic, texts]) => [topic, texts.slice(0, languagesWritten)]),
);

async function main(): Promise<void> {
  const multilingual = process.argv.includes('--multilingual');
  const models = process.env['PARLEY_MODELS'] ?? '.cache/models';
  const embeddings = (multilingual && LocalEmbeddings.ofAllLanguages(models)) || new LocalEmbeddings();
  const index = new IndexOfPassages(embeddings);
  await index.fill(passages);
  const searched = [];
  for (const question of questions) searched.push({ question, searches: await index.search(question.text) });
  const report: Record<string, unknown> = {};
  for (const [name, engine] of Object.entries(enginesFor(embeddings.capabilities))) {
    const answered = searched.map(({ question, searches }) => ({ question, ranking: engine(question.text, searches) }));
    report[name] = rowOf(answered);
    if (name === 'as served') showDecisions(answered);
  }
  console.table(report);
  console.log(JSON.stringify(report));
  await index.close();
  await embeddings.close();
}

function rowOf(answered: readonly Answered[]): Record<string, string | number> {
  const known = answered.filter(({ question }) => question.topic);
  const part = (fits: (answer: Answered) => boolean) => {
    const { questions, top1 } = figuresOf(known.filter(fits));
    return questions === 0 ? 'none asked' : top1.toFixed(3);
  };
  const { top1, mrr } = figuresOf(known);
  return {
    ...{ questions: answered.length, 'top-1': top1.toFixed(3), MRR: mrr.toFixed(3), AUC: areaUnderCurve(answered).toFixed(3) },
    english: part(({ question }) => question.part === 'plain' && question.language === 'english'),
    hindi: part(({ question }) => question.part === 'plain' && question.language === 'hindi'),
    marathi: part(({ question }) => question.part === 'plain' && question.language === 'marathi'),
    adversarial: part(({ question }) => question.part === 'adversarial'),
  };
}

function showDecisions(answered: readonly Answered[]): void {
  const share = (of: readonly Answered[]) =>
    (of.filter(({ ranking }) => ranking.sureness >= tuning.known).length / of.length).toFixed(3);
  const [known, unknown] = [
    answered.filter(({ question }) => question.topic),
    answered.filter(({ question }) => !question.topic),
  ];
  console.log(`threshold ${tuning.known}: answers ${share(known)} of what is known and ${share(unknown)} of what is not`);
  if (!process.argv.includes('--misses')) return;
  for (const { question, ranking } of answered) {
    const isMiss = question.topic
      ? ranking.topics[0] !== question.topic || ranking.sureness < tuning.known
      : ranking.sureness >= tuning.known;
    if (isMiss)
      console.log(
        `${ranking.sureness.toFixed(2)} ${question.text} → ${ranking.topics[0] ?? 'nothing'} (${question.topic ?? 'unanswerable'})`,
      );
  }
}

void main();
