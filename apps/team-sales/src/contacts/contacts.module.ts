import { Module } from '@nestjs/common';
import { ContactExport } from './contact-export';
import { ContactsController } from './contacts.controller';
import { ContactsService } from './contacts.service';
import { MappingService } from './mapping.service';
import { Mappings } from './mappings';
import { SaveContactService } from './save-contact.service';

/** Customers, and who serves them. */
@Module({
  controllers: [ContactsController],
  providers: [ContactExport, ContactsService, Mappings, MappingService, SaveContactService],
})
export class ContactsModule {}
