import { Module } from '@nestjs/common';
import { ContactExport } from './contact-export';
import { ContactsController } from './contacts.controller';
import { ContactsService } from './contacts.service';
import { MappingService } from './mapping.service';
import { Mappings } from './mappings';
import { SaveContactService } from './save-contact.service';
import { ContactUploadController } from './upload/contact-upload.controller';
import { ContactUploadService } from './upload/contact-upload.service';

/** Customers, and who serves them. */
@Module({
  controllers: [ContactsController, ContactUploadController],
  providers: [ContactExport, ContactsService, ContactUploadService, Mappings, MappingService, SaveContactService],
})
export class ContactsModule {}
