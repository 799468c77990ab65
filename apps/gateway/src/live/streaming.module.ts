import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import type { GatewayConfig } from '../config';
import { socketAddress, socketAddressOf } from '../door/tokens/entry-tokens';
import { ChatAnswers } from './chat/chat-answers';
import { ChatController, TextQuestionController } from './chat/chat.controller';
import { VoiceOffers } from './chat/chat-request';
import {
  ContactsExportController,
  FactsExportController,
  RecordingController,
  UsageExportController,
} from '../api/files/downloads.controller';
import { ContactsUploadController, DocumentsController } from '../api/files/uploads.controller';
import { LiveCallsController } from './live-calls.controller';
import { SynthesisController, VoicePreviewController } from './speech/synthesis.controller';
import { TranscriptionController } from './speech/transcription.controller';
import { AcceptInviteController } from '../api/accept-invite.controller';
import { Uploads } from '../api/files/uploads';

/** The endpoints that are no question with one answer: files in, files out, streams. */
@Module({
  controllers: [
    AcceptInviteController,
    ChatController,
    ContactsExportController,
    ContactsUploadController,
    DocumentsController,
    LiveCallsController,
    RecordingController,
    SynthesisController,
    TextQuestionController,
    TranscriptionController,
    FactsExportController,
    UsageExportController,
    VoicePreviewController,
  ],
  providers: [Uploads],
})
export class StreamingModule {
  /** `doorkeepers` provide what every endpoint leans on: keys and tokens, the trail of actions, charging. */
  static with(config: GatewayConfig, doorkeepers: readonly (Type | DynamicModule)[]): DynamicModule {
    const files = { provide: FileStore, useFactory: () => openFileStore(config) };
    const address = { provide: socketAddress, useValue: socketAddressOf(config) };
    return { module: StreamingModule, imports: [...doorkeepers], providers: [ChatAnswers, VoiceOffers, files, address] };
  }
}
