export * from './paging';
export * from './text';
export * from './described';
export * from './secret';
