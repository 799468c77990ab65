import { type DynamicModule, Module } from '@nestjs/common';
import { WidgetsController } from '../widgets/widgets.controller';
import { WidgetsService } from '../widgets/widgets.service';
import { EntryTokens } from './entry-tokens';
import { socketAddress, TokensController } from './tokens.controller';

interface Settings {
  readonly PUBLIC_URL?: string | undefined;
  readonly PORT: number;
}

/** Ways in for browsers: widgets, and tokens that open one socket. */
@Module({})
export class TokensModule {
  static with({ PUBLIC_URL, PORT }: Settings, keys: DynamicModule): DynamicModule {
    const address = (PUBLIC_URL ?? `http://127.0.0.1:${PORT}`).replace(/^http/, 'ws').replace(/\/+$/, '');
    return {
      module: TokensModule,
      imports: [keys],
      controllers: [TokensController, WidgetsController],
      providers: [EntryTokens, WidgetsService, { provide: socketAddress, useValue: address }],
      exports: [keys, EntryTokens, WidgetsService],
    };
  }
}
