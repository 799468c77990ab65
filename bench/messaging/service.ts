import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { defineRequest } from '@parley/contracts';
import { z } from 'zod';
import { BusServer, Handles, MessagingModule, NatsTransport } from '@parley/messaging';

export const echo = defineRequest({
  subject: 'agent-config.bench.echo',
  request: z.object({ AgentID: z.int(), question: z.string().min(1), variables: z.record(z.string(), z.string()).optional() }),
  reply: z.object({ answer: z.string(), tokens: z.int() }),
});

@Controller()
class Echo {
  @Handles(echo)
  echo({ question }: { question: string }) {
    return { answer: question, tokens: question.length };
  }
}

/** Serves the echo until the parent process ends it; answers `cpu` with the CPU time used so far. */
export async function serve(url: string): Promise<void> {
  const transport = await NatsTransport.connect({ servers: url, name: 'bench-service' });
  @Module({ imports: [MessagingModule.forTransport(transport, { service: 'agent-config' })], controllers: [Echo] })
  class Application {}
  const app = await NestFactory.createMicroservice(Application, {
    strategy: new BusServer(transport, { service: 'agent-config' }),
    logger: ['error'],
  });
  await app.listen();
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.('ready');
}
