export * from './dates';
export * from './described';
export * from './files';
export * from './ids';
export * from './lookup-query';
export * from './paging';
export * from './text';
