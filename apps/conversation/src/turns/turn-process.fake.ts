import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { NatsTransport } from '@parley/messaging';
import { ScriptedLanguageModel } from '@parley/ports';
import { createLogger, defineService, Metrics, startService } from '@parley/service-kit';
import { conversation, ConversationModule } from '../service';

/** How many words an answer has, and how long the model takes for each. */
export const words = 12;
const wordMs = 15;

/** Runs the service with a slow model in this process, which a test kills. Reports when it is ready. */
export async function answerUntilKilled(natsUrl: string, databaseUrl: string): Promise<void> {
  const model = new ScriptedLanguageModel(async function* () {
    for (let word = 0; word < words; word++) {
      await delay(wordMs);
      yield { type: 'text', text: `word${word} ` };
    }
    yield { type: 'finish', reason: 'stop', usage: { promptTokens: 10, completionTokens: words } };
  });
  const models = { of: async () => model };
  await startService(defineService({ ...conversation, module: (config) => ConversationModule.with(config, models) }), {
    environment: {},
    transport: await NatsTransport.connect({ servers: natsUrl, name: 'conversation' }),
    databaseUrl,
    logger: createLogger({ level: 'silent', isReadable: false, writesPii: false }),
    metrics: new Metrics(),
  });
  writeSync(1, 'serving\n');
}
