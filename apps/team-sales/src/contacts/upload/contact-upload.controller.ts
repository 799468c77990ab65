import { Controller } from '@nestjs/common';
import { readContactFile, readContactUpload, uploadContacts } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../../message-types';
import { ContactUploadService } from './contact-upload.service';
import { MappedFile } from './mapped-file';

/** Uploads over the bus. */
@Controller()
export class ContactUploadController {
  constructor(
    private readonly uploads: ContactUploadService,
    private readonly mapped: MappedFile,
  ) {}

  @Handles(uploadContacts)
  upload(body: BodyOf<typeof uploadContacts>, call: Call): Promise<ReplyOf<typeof uploadContacts>> {
    return this.uploads.upload(body, call);
  }

  @Handles(readContactUpload)
  read(body: BodyOf<typeof readContactUpload>, call: Call): Promise<ReplyOf<typeof readContactUpload>> {
    return this.uploads.read(body, call);
  }

  @Handles(readContactFile)
  readFile(body: BodyOf<typeof readContactFile>, call: Call): ReturnType<MappedFile['read']> {
    return this.mapped.read(body, call);
  }
}
