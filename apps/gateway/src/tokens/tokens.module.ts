import { type DynamicModule, Module } from '@nestjs/common';
import { WidgetsController } from '../widgets/widgets.controller';
import { WidgetsService } from '../widgets/widgets.service';
import { EntryTokens } from './entry-tokens';
import { socketAddress, socketAddressOf } from './socket-address';
import { TokensController } from './tokens.controller';

/** Ways in for browsers: widgets, and tokens that open one socket. */
@Module({})
export class TokensModule {
  static with(config: Parameters<typeof socketAddressOf>[0], keys: DynamicModule): DynamicModule {
    return {
      module: TokensModule,
      imports: [keys],
      controllers: [TokensController, WidgetsController],
      providers: [EntryTokens, WidgetsService, { provide: socketAddress, useValue: socketAddressOf(config) }],
      exports: [keys, EntryTokens, WidgetsService],
    };
  }
}
