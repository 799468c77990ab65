export * from './dates';
export * from './described';
export * from './files';
export * from './ids';
export * from './paging';
export * from './text';
