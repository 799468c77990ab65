import type { FileStore as FileStorePort } from '@parley/ports';

/** The store that uploads are handed on by, as a thing to inject. */
export abstract class FileStore implements FileStorePort {
  abstract readonly capabilities: FileStorePort['capabilities'];
  abstract put: FileStorePort['put'];
  abstract open: FileStorePort['open'];
  abstract delete: FileStorePort['delete'];
}
