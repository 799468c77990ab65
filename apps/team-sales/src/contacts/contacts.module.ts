import { Module } from '@nestjs/common';
import { FileStore } from '@parley/ports';
import { FileSweep } from '@parley/providers/configured-files';
import { Logger } from '@parley/service-kit';
import { ContactExport } from './contact-export';
import { ContactReading, ContactsService, SaveContactService } from './contacts.service';
import { ContactsController } from './contacts.controller';
import { Mappings, MappingService } from './mappings';
import { ContactUploadController, ContactUploadService } from './upload/contact-upload.service';
import { MappedFile } from './upload/mapped-file';

/** A file is read within the request that brought it, so none is worth keeping for a day. */
const fileSweep = {
  provide: FileSweep,
  inject: [FileStore, Logger],
  useFactory: (files: FileStore, log: Logger) => new FileSweep({ files, folder: 'contacts', log, kept: async () => new Set() }),
};

/** Customers, and who serves them. */
@Module({
  controllers: [ContactsController, ContactUploadController],
  providers: [
    ContactExport,
    ContactReading,
    ContactsService,
    ContactUploadService,
    fileSweep,
    MappedFile,
    Mappings,
    MappingService,
    SaveContactService,
  ],
})
export class ContactsModule {}
