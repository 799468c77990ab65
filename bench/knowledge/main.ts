// `npm run bench -- knowledge [chunks …]`: how fast knowledge is found in collections of three sizes (or of those given), how
// fast files are read, and how late the service's event loop is during ingest.
import { LocalEmbeddings } from '@parley/providers/local-embeddings';
import { report, type Figures } from '../measure/report';
import { measureIngest } from './ingest';
import { csvOf, pdfOf, xlsxOf } from './large-files';
import { measureReading } from './reading';
import { measureRetrieval } from './retrieval';

const pages = 1_000;
const rows = 50_000;
const pagesIngested = 20;

async function main(): Promise<void> {
  const asked = process.argv.slice(2).map(Number).filter(Number.isSafeInteger);
  const figures: Figures[] = [];
  const embeddings = new LocalEmbeddings();
  for (const count of asked.length > 0 ? asked : [1_000, 20_000, 100_000])
    figures.push(await measureRetrieval(count, embeddings));
  await embeddings.close();
  figures.push(await measureReading('pdf', pdfOf(pages), pages));
  figures.push(await measureReading('xlsx', await xlsxOf(rows), rows));
  figures.push(await measureReading('csv', csvOf(rows), rows));
  figures.push(await measureIngest('manual.pdf', pdfOf(pagesIngested)));
  report('knowledge', figures);
}

void main();
