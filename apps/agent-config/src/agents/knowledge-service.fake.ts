import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BusinessProfile, examplesOf, KnowledgeBase, listBusinessProfiles, listKnowledgeBases } from '@parley/contracts';
import { BusServer, Handles, type InProcessBroker } from '@parley/messaging';
import { z } from 'zod';

const bases = z.array(KnowledgeBase).parse(examplesOf(KnowledgeBase));
const profiles = z.array(BusinessProfile).parse(examplesOf(BusinessProfile));

/** The answers of the simulated knowledge service; tests change them. */
export const knowledge = { bases, profiles };

@Controller()
class ScriptedKnowledge {
  @Handles(listKnowledgeBases)
  listBases() {
    return { rows: knowledge.bases, totalCount: knowledge.bases.length, pageNo: 1, pageSize: 200 };
  }

  @Handles(listBusinessProfiles)
  listProfiles() {
    return { rows: knowledge.profiles, totalCount: knowledge.profiles.length, pageNo: 1, pageSize: 1 };
  }
}

@Module({ controllers: [ScriptedKnowledge] })
class ScriptedModule {}

/** Answers for the knowledge service on a broker; returns a function that stops it. */
export async function startScriptedKnowledge(broker: InProcessBroker): Promise<() => Promise<void>> {
  const strategy = new BusServer(broker.connect(), { service: 'knowledge-ingest', drainMs: 100 });
  const app = await NestFactory.createMicroservice(ScriptedModule, { strategy, logger: false });
  await app.listen();
  return () => app.close();
}
