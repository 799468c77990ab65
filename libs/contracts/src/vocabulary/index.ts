export * from './changes';
export * from './dates';
export * from './described';
export * from './files';
export * from './ids';
export * from './paging';
export * from './secret';
export * from './text';
