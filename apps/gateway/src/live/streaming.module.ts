import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import type { GatewayConfig } from '../config';
import { socketAddress, socketAddressOf } from '../door/tokens/socket-address';
import { ChatAnswers } from './chat/chat-answers';
import { ChatController } from './chat/chat.controller';
import { TextQuestionController } from './chat/text-question.controller';
import { VoiceOffers } from './chat/voice-offers';
import { ContactsExportController } from '../api/files/contacts-export.controller';
import { ContactsUploadController } from '../api/files/contacts-upload.controller';
import { RecordingController } from '../api/files/recording.controller';
import { LiveCallsController } from './live-calls.controller';
import { SynthesisController } from './speech/synthesis.controller';
import { TranscriptionController } from './speech/transcription.controller';
import { VoicePreviewController } from './speech/voice-preview.controller';
import { DocumentsController } from '../api/files/documents.controller';
import { AcceptInviteController } from '../api/team/accept-invite.controller';
import { Uploads } from '../api/files/uploads';
import { FactsExportController } from '../api/files/facts-export.controller';
import { UsageExportController } from '../api/files/usage-export.controller';

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
