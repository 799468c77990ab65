import { Controller } from '@nestjs/common';
import { findRecording, getConversationLog, listConversationLogs } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { LogsService } from './logs.service';

/** Conversation logs over the bus. */
@Controller()
export class LogsController {
  constructor(private readonly logs: LogsService) {}

  @Handles(listConversationLogs)
  list(query: BodyOf<typeof listConversationLogs>, call: Call): Promise<ReplyOf<typeof listConversationLogs>> {
    return this.logs.list(query, call);
  }

  @Handles(getConversationLog)
  get({ ConversationalLogKeyID }: BodyOf<typeof getConversationLog>, call: Call): Promise<ReplyOf<typeof getConversationLog>> {
    return this.logs.get(ConversationalLogKeyID, call);
  }

  @Handles(findRecording)
  recording({ ConversationalLogKeyID }: BodyOf<typeof findRecording>, call: Call): Promise<ReplyOf<typeof findRecording>> {
    return this.logs.recording(ConversationalLogKeyID, call);
  }
}
