import { Controller } from '@nestjs/common';
import { deleteDocument, getDocument, getDocumentStatus, listDocuments, saveDocument } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { DocumentsService } from './documents.service';

@Controller()
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  @Handles(saveDocument)
  save(body: z.output<typeof saveDocument.request>, call: Call) {
    return this.documents.save(organizationOf(call), body);
  }

  @Handles(listDocuments)
  list(query: z.output<typeof listDocuments.request>, call: Call) {
    return this.documents.list(organizationOf(call), query);
  }

  @Handles(getDocument)
  get({ KBDocumentKeyID }: { KBDocumentKeyID: string }, call: Call) {
    return this.documents.get(organizationOf(call), KBDocumentKeyID);
  }

  @Handles(getDocumentStatus)
  status({ KBDocumentKeyID }: { KBDocumentKeyID: string }, call: Call) {
    return this.documents.status(organizationOf(call), KBDocumentKeyID);
  }

  @Handles(deleteDocument)
  delete({ KBDocumentKeyID }: { KBDocumentKeyID: string }, call: Call) {
    return this.documents.delete(organizationOf(call), KBDocumentKeyID);
  }
}
