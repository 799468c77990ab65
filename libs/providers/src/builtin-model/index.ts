export { BuiltinModel } from './builtin-model';
