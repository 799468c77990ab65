import { type DynamicModule, Module } from '@nestjs/common';
import { openFileStore } from '@parley/providers/configured-files';
import type { GatewayConfig } from '../config';
import { ContactsExportController } from './contacts-export.controller';
import { ContactsUploadController } from './contacts-upload.controller';
import { FileStore } from './files';

/** The endpoints that are no question with one answer: files in, files out, streams. */
@Module({ controllers: [ContactsExportController, ContactsUploadController] })
export class StreamingModule {
  static with(config: GatewayConfig): DynamicModule {
    return { module: StreamingModule, providers: [{ provide: FileStore, useFactory: () => openFileStore(config) }] };
  }
}
