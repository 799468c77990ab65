import { writeSync } from 'node:fs';
import { getDocumentStatus } from '@parley/contracts';
import { KnowledgeHouse, until } from './knowledge-house.suite';

/** The service in a process of its own, to be killed: goes on with a document and says how far it is. */
export async function ingestUntilKilled(databaseUrl: string, folder: string, KBDocumentKeyID: string): Promise<void> {
  const house = new KnowledgeHouse(databaseUrl, folder);
  await house.start();
  const look = () => house.ask(getDocumentStatus, { KBDocumentKeyID });
  await until(look, ({ status, progress }) => {
    writeSync(1, `${progress.done}\n`);
    return status === 'READY';
  });
  await house.stop();
}
