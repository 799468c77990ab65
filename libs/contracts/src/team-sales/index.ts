export * from './contact-upload';
export * from './contacts';
export * from './members';
export * from './invites';
export * from './representatives';
