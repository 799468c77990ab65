import { Controller, Get, Header } from '@nestjs/common';
import { RequiredAccess } from '../../endpoint/endpoint';
import { ApiDocument } from './api-document';

/** The API description, made from the route table when the gateway starts. */
@Controller()
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class OpenApiController {
  constructor(private readonly document: ApiDocument) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  openapi(): string {
    return this.document.json;
  }
}
