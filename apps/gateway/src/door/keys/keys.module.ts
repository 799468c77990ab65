import { type DynamicModule, Module } from '@nestjs/common';
import type { SecretKeyVariables } from '@parley/service-kit';
import { Principals } from './principals';
import { KeyNewsController } from './key-news.controller';
import { KeyHashes } from './key-text';
import { KeyOwners, MemberRights } from './key-owners';
import { KeyReader, LastUse, StoredKeys } from './stored-keys';
import { KeysController } from './keys.controller';
import { KeysService } from './keys.service';
import { OpenConnections } from './open-connections';

/** API keys: made and ended over the bus, and known to the access guard. */
@Module({})
export class KeysModule {
  static with({ PARLEY_SECRET_KEY, PARLEY_SECRET_KEYS_OLD }: SecretKeyVariables): DynamicModule {
    return {
      module: KeysModule,
      controllers: [KeysController, KeyNewsController],
      providers: [
        { provide: KeyHashes, useValue: new KeyHashes(PARLEY_SECRET_KEY, PARLEY_SECRET_KEYS_OLD) },
        KeyOwners,
        KeyReader,
        KeysService,
        LastUse,
        MemberRights,
        OpenConnections,
        StoredKeys,
        { provide: Principals, useExisting: StoredKeys },
      ],
      exports: [KeyOwners, OpenConnections, Principals, StoredKeys],
    };
  }
}
