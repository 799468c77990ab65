import { Controller, Get, Header } from '@nestjs/common';
import { RequiredAccess } from '../../endpoint/endpoint';
import { SocketDocument } from './socket-document';

/** The description of the sockets, made from the contracts when the gateway starts. */
@Controller()
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class AsyncApiController {
  constructor(private readonly document: SocketDocument) {}

  @Get('asyncapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  asyncapi(): string {
    return this.document.json;
  }
}
