// Jest has a function answer for every global, so that each `Map`, `Buffer` or `setTimeout` of a test, and of all that it imports, takes
// 200 ns instead of one. Here a test file has a global object like any program's.
import vm from 'node:vm';
import nodeEnvironment from 'jest-environment-node';

const Node = nodeEnvironment.default ?? nodeEnvironment;
const { createContext } = vm;

/** Jest's environment of Node, in a context whose globals are plain properties. */
export default class PlainGlobals extends Node {
  constructor(...args) {
    // It makes its context in its constructor, which is synchronous, and offers no other way in.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...args);
    } finally {
      vm.createContext = createContext;
    }
  }
}
